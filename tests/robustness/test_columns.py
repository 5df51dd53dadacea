"""Large batches read by columns give what packets read one by one give, byte for byte."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kafkasniff.calls.call import Call, ConnectionReport, Gap
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.items import Item
from kafkasniff.calls.streams import CallOptions
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.capture.reader import CaptureReader
from kafkasniff.render.json.items import connection_line, gap_line, token_line
from kafkasniff.render.json.lines import JsonLines
from kafkasniff.tcp.column_path import ColumnPath
from kafkasniff.tcp.events import StreamRun
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.reassembler import Reassembler
from tests.conftest import SHARED, needs_shared
from tests.robustness.conversations import compose
from tests.robustness.damage import ROWS, Row
from tests.robustness.packets import Packet, batches, transmit
from tests.robustness.running import BY_COLUMNS, ONE_BY_ONE, columns_take_what_they_can

CHUNKS = (16 << 20, 50_000)
LARGEST = 2 << 20
"""Bytes of the largest capture that is read: larger ones show nothing else."""


@pytest.fixture(autouse=True)
def _columns_take_what_they_can() -> Iterator[None]:
    with columns_take_what_they_can():
        yield


def line(item: Item) -> bytes:
    if isinstance(item, Call):
        return JsonLines().line(item)
    if isinstance(item, Gap):
        return gap_line(item)
    return connection_line(item) if isinstance(item, ConnectionReport) else token_line(item)


def shown(packets: Iterable[PacketBatch], limits: TcpLimits) -> tuple[list[bytes], Any, Any]:
    """Give all that is shown of packets, each batch shown before the next is fed, and the counters."""
    engine = Engine(tcp_limits=limits, options=CallOptions(show_secrets=True), report_connections=True)
    lines = [line(item) for batch in packets for item in engine.feed(batch)]
    lines += [line(item) for item in engine.flush()]
    return lines, engine.counts, engine.reassembler.counters


def captures() -> list[Path]:
    found = [path for folder in ("captures", "fixtures") for path in (SHARED / folder).rglob("*.pcap*")]
    return sorted(path for path in found if path.is_file() and path.stat().st_size <= LARGEST)


@needs_shared
@pytest.mark.parametrize("path", captures(), ids=lambda path: path.name)
def test_captures_give_the_same(path: Path) -> None:
    every = [
        shown(CaptureReader(str(path), chunk_bytes=chunk_bytes), limits)
        for chunk_bytes in CHUNKS
        for limits in (ONE_BY_ONE, BY_COLUMNS)
    ]
    assert every[0] == every[1]
    assert every[2] == every[3]
    # The counters tell in how many pieces a capture was read; what is shown does not.
    assert every[0][0] == every[2][0]


def damaged(row: Row, connections: int = 6, calls: int = 40) -> list[Packet]:
    rng = Random(row.name)
    conversations = compose(rng, connections=connections, calls=calls, **row.traffic)
    return row.damage(transmit(conversations, rng, **row.segments), rng)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_damaged_captures_give_the_same(row: Row) -> None:
    packets = damaged(row)
    expected = shown(batches(packets), ONE_BY_ONE)
    for size in (len(packets), 150):
        assert shown(batches(packets, size), BY_COLUMNS) == expected


@pytest.mark.parametrize("row", [row for row in ROWS if "mid-" not in row.name], ids=lambda row: row.name)
def test_damaged_short_connections_give_the_same(row: Row) -> None:
    """So short that many begin and end in one batch, some in several."""
    packets = damaged(row, connections=12, calls=7)
    expected = shown(batches(packets), ONE_BY_ONE)
    for size in (len(packets), 200):
        assert shown(batches(packets, size), BY_COLUMNS) == expected


@pytest.mark.parametrize("remembered", [20_000, 200_000])
def test_what_is_forgotten_is_the_same(remembered: int) -> None:
    """Where delivered bytes are forgotten in the middle of a batch, repeats are counted the same."""
    row = next(row for row in ROWS if row.name == "retransmitted whole")
    packets = damaged(row)
    expected = shown(batches(packets), TcpLimits(column_packets=1 << 62, remembered=remembered))
    assert shown(batches(packets, 1 << 20), TcpLimits(column_packets=1, remembered=remembered)) == expected


def test_most_packets_of_healthy_traffic_lie_in_runs() -> None:
    row = next(row for row in ROWS if row.name == "intact")
    packets = damaged(row)
    reassembler = Reassembler(BY_COLUMNS)
    segments = 0
    for batch in batches(packets, 1 << 20):
        for event in reassembler.feed(batch):
            if isinstance(event, StreamRun):
                segments += sum(len(side.packets) for side in event.sides)
    assert segments > sum(bool(packet.payload) for packet in packets) * 0.8


def test_a_run_that_fails_its_checks_is_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    packets = damaged(next(row for row in ROWS if row.name == "intact"))
    expected = shown(batches(packets), ONE_BY_ONE)
    monkeypatch.setattr(ColumnPath, "_take_stretch", lambda path, stretches, number, first, end: first)
    assert shown(batches(packets, 1 << 20), BY_COLUMNS) == expected
