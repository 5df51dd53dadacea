"""Packets through the whole engine, and everything looked at that it gives."""

from collections.abc import Iterable

from kafkasniff.calls.call import Call
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.items import Item
from kafkasniff.calls.streams import CallOptions
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.render.json_lines import call_line


def printed(batches: Iterable[PacketBatch]) -> list[Item]:
    """Give what the engine makes of the packets, secrets shown, each connection reported."""
    engine = Engine(options=CallOptions(show_secrets=True), report_connections=True)
    items: list[Item] = []
    for batch in batches:
        items += engine.feed(batch)
    return items + engine.flush()


def look_at(batches: Iterable[PacketBatch]) -> int:
    """Decode and render every call of a capture; give their number."""
    calls = [item for item in printed(batches) if isinstance(item, Call)]
    for call in calls:
        call_line(call)
    return len(calls)
