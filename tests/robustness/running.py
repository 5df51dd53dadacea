"""Packets through the whole engine, and everything looked at that it gives."""

from collections.abc import Iterable, Iterator

from kafkasniff.calls.call import Call
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.items import Item
from kafkasniff.calls.options import CallOptions
from kafkasniff.calls.reports import ConnectionReport, Gap
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.render.json.items import connection_line, gap_line, token_line
from kafkasniff.render.json.lines import JsonLines
from kafkasniff.tcp.limits import TcpLimits


def printed(batches: Iterable[PacketBatch]) -> list[Item]:
    """Give what the engine makes of the packets, secrets shown, each connection reported."""
    engine = Engine(options=CallOptions(show_secrets=True), report_connections=True)
    items: list[Item] = []
    for batch in batches:
        items += engine.feed(batch)
    return items + engine.flush()


def look_at(batches: Iterable[PacketBatch], limits: TcpLimits | None = None) -> tuple[list[bytes], list[str]]:
    """Decode every call, each batch's before the next is fed; give the lines of all items, and the notes."""
    engine = Engine(limits, options=CallOptions(show_secrets=True), report_connections=True)
    calls = JsonLines()
    lines = [_line(item, calls) for batch in batches for item in engine.feed(batch)]
    lines += [_line(item, calls) for item in engine.flush()]
    return lines, engine.notes()


def singly(batches: Iterable[PacketBatch]) -> Iterator[PacketBatch]:
    """Give each packet in a batch of its own."""
    for batch in batches:
        columns = (batch.offsets, batch.captured, batch.original, batch.times, batch.interface_ids)
        for index in range(len(batch)):
            one = (column[index : index + 1] for column in columns)
            yield PacketBatch(batch.data, batch.first_packet + index, *one, batch.interfaces)


def _line(item: Item, calls: JsonLines) -> bytes:
    if isinstance(item, Call):
        return calls.line(item)
    if isinstance(item, Gap):
        return gap_line(item)
    return connection_line(item) if isinstance(item, ConnectionReport) else token_line(item)
