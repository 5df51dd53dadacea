"""Packets through the whole engine, and everything looked at that it gives."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from kafkasniff.calls import runs
from kafkasniff.calls.call import Call
from kafkasniff.calls.columns import talks
from kafkasniff.calls.columns.calls import CallRows
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.items import Item
from kafkasniff.calls.streams import CallOptions
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.render import json_rows
from kafkasniff.render.json.lines import JsonLines
from kafkasniff.tcp import lives
from kafkasniff.tcp.limits import TcpLimits

ONE_BY_ONE, BY_COLUMNS = TcpLimits(column_packets=1 << 62), TcpLimits(column_packets=1)
_FEWEST = ((lives, "FEWEST", 1), (runs, "FEWEST_SEGMENTS", 1), (json_rows, "FEWEST_ROWS", 1))
_LARGEST = ((talks, "LARGEST_SEGMENT", 1 << 30),)


def printed(batches: Iterable[PacketBatch]) -> list[Item]:
    """Give what the engine makes of the packets, secrets shown, each connection reported."""
    engine = Engine(options=CallOptions(show_secrets=True), report_connections=True)
    items: list[Item] = []
    for batch in batches:
        items += engine.feed(batch)
    return items + engine.flush()


def look_at(batches: Iterable[PacketBatch], limits: TcpLimits = ONE_BY_ONE) -> list[bytes]:
    """Decode every call of a capture; give their lines."""
    engine = Engine(tcp_limits=limits, options=CallOptions(show_secrets=True), report_connections=True)
    lines: list[bytes] = []
    for batch in batches:
        lines += _lines(engine.feed_columns(batch))
    return lines + _lines(engine.flush())


def look_by_columns(batches: Iterable[PacketBatch]) -> list[bytes]:
    """Decode every call of a capture by columns wherever these can; give their lines."""
    with columns_take_what_they_can():
        return look_at(batches, BY_COLUMNS)


@contextmanager
def columns_take_what_they_can() -> Iterator[None]:
    """Let columns take short runs, large messages, few lives and few calls too, which otherwise go one by one."""
    kept = [(module, name, getattr(module, name)) for module, name, _ in _FEWEST + _LARGEST]
    for module, name, value in _FEWEST + _LARGEST:
        setattr(module, name, value)
    try:
        yield
    finally:
        for module, name, value in kept:
            setattr(module, name, value)


def _lines(items: Iterable[Item | CallRows]) -> list[bytes]:
    lines: list[bytes] = []
    rows = json_rows.JsonRows()
    for item in items:
        if isinstance(item, CallRows):
            lines += b"".join(rows.blocks(item)).splitlines(keepends=True)
        elif isinstance(item, Call):
            lines.append(JsonLines().line(item))
    return lines
