"""Lines of rows of calls against the lines of the same calls, each read packet by packet."""

from pathlib import Path
from random import Random

import pytest

from kafkasniff.calls import runs
from kafkasniff.calls.call import Call
from kafkasniff.calls.columns import talks
from kafkasniff.calls.context import Context
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.items import Item
from kafkasniff.calls.streams import CallOptions
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.capture.reader import CaptureReader
from kafkasniff.render import json_rows
from kafkasniff.render.json_lines import call_line
from kafkasniff.render.json_rows import JsonRows
from kafkasniff.tcp.limits import TcpLimits
from tests.conftest import CAPTURES
from tests.robustness.conversations import compose
from tests.robustness.damage import ROWS
from tests.robustness.packets import batches, transmit


@pytest.fixture(autouse=True)
def _columns_take_what_they_can(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "FEWEST_SEGMENTS", 1)
    monkeypatch.setattr(talks, "LARGEST_SEGMENT", 1 << 30)
    monkeypatch.setattr(json_rows, "FEWEST_ROWS", 1)


class Lines:
    """The lines of calls, and how many of these came in rows."""

    def __init__(self) -> None:
        self.text = b""
        self.in_rows = 0
        self._rows = JsonRows()

    def add(self, item: Item | json_rows.CallRows) -> None:
        if isinstance(item, tuple):
            self.in_rows += item.stop - item.start
            self.text += b"".join(self._rows.blocks(item))
        elif isinstance(item, Call):
            self.text += call_line(item)


def options(records: bool) -> CallOptions:
    return CallOptions(show_secrets=False, context=Context(records=records))


def one_by_one(packets: list[PacketBatch], records: bool) -> bytes:
    engine = Engine(TcpLimits(column_packets=1 << 62), options=options(records))
    items = [item for batch in packets for item in engine.feed(batch)]
    return b"".join(call_line(item) for item in [*items, *engine.flush()] if isinstance(item, Call))


def by_rows(packets: list[PacketBatch], records: bool) -> Lines:
    lines, engine = Lines(), Engine(TcpLimits(column_packets=1), options=options(records))
    for batch in packets:
        for item in engine.feed_columns(batch):
            lines.add(item)
    for item in engine.flush():
        lines.add(item)
    return lines


@pytest.mark.parametrize("records", [False, True])
@pytest.mark.parametrize("path", sorted(CAPTURES.glob("*.pcap*")), ids=lambda path: path.name)
def test_recordings(path: Path, records: bool) -> None:
    lines = by_rows(list(CaptureReader(str(path))), records)
    assert lines.text == one_by_one(list(CaptureReader(str(path))), records)


@pytest.mark.parametrize("block_bytes", [1, 1 << 18])
def test_calls_in_rows(block_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_rows, "_BLOCK_BYTES", block_bytes)
    row, random = next(row for row in ROWS if row.name == "intact"), Random("rows")
    packets = transmit(compose(random, connections=6, calls=40, **row.traffic), random, **row.segments)
    for size in (64, 150):
        lines = by_rows(list(batches(packets, size)), False)
        assert lines.in_rows > 100
        assert lines.text == one_by_one(list(batches(packets)), False)
