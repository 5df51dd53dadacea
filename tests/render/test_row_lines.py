"""Rows of calls that are passed over leave behind what their lines would."""

from pathlib import Path
from random import Random

import pytest

from kafkasniff.calls import runs
from kafkasniff.calls.columns import talks
from kafkasniff.calls.columns.calls import CallRows
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.items import Item
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.capture.reader import CaptureReader
from kafkasniff.render import row_lines, tail_columns, templates
from kafkasniff.render.row_lines import RowLines
from kafkasniff.render.terminal import CallLines
from kafkasniff.tcp.limits import TcpLimits
from tests.conftest import CAPTURES
from tests.robustness.conversations import compose
from tests.robustness.damage import ROWS
from tests.robustness.packets import batches, transmit


def rows_of(name: str, monkeypatch: pytest.MonkeyPatch) -> list[CallRows]:
    """The calls of a recording that columns can take, each in rows of its own."""
    monkeypatch.setattr(runs, "FEWEST_SEGMENTS", 1)
    monkeypatch.setattr(talks, "LARGEST_SEGMENT", 1 << 30)
    engine = Engine(tcp_limits=TcpLimits(column_packets=1))
    items = [item for batch in CaptureReader(str(CAPTURES / name)) for item in engine.feed_columns(batch)]
    return [
        item._replace(start=row, stop=row + 1)
        for item in items
        if isinstance(item, tuple)
        for row in range(item.start, item.stop)
    ]


def joined(rows: list[CallRows]) -> list[CallRows]:
    """Rows that follow each other in the same columns, together."""
    found: list[CallRows] = []
    for each in rows:
        if found and found[-1].columns is each.columns and found[-1].stop == each.start:
            found[-1] = found[-1]._replace(stop=each.stop)
        else:
            found.append(each)
    return found


@pytest.mark.parametrize("time", ["absolute", "relative", "delta"])
@pytest.mark.parametrize("name", ["java-4.3.1-basic.pcap", "nanoseconds.pcap", "kraft3-admin-all.pcap"])
def test_what_is_passed_over_changes_later_lines_as_its_lines_do(
    name: str, time: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = rows_of(name, monkeypatch)
    assert len(rows) > 50
    lines = CallLines(time=time)
    one_by_one = RowLines(lines)
    whole = [one_by_one.lines(each) for each in rows]
    rng = Random(name)
    for _ in range(10):
        divided = CallLines(time=time)
        shared = RowLines(divided)
        place = 0
        while place < len(rows):
            end = place + rng.randrange(1, 40)
            part = joined(rows[place:end])
            if rng.random() < 0.5:
                for each in part:
                    shared.pass_over(each)
            else:
                assert b"".join(map(shared.lines, part)) == b"".join(whole[place:end])
            place = end
        assert divided.widths == lines.widths
        assert divided.brokers.changes == lines.brokers.changes
    assert name != "kraft3-admin-all.pcap" or lines.brokers.changes


def items_of(packets: list[PacketBatch], monkeypatch: pytest.MonkeyPatch) -> list[Item | CallRows]:
    monkeypatch.setattr(runs, "FEWEST_SEGMENTS", 1)
    monkeypatch.setattr(talks, "LARGEST_SEGMENT", 1 << 30)
    engine = Engine(tcp_limits=TcpLimits(column_packets=1))
    return [item for batch in packets for item in engine.feed_columns(batch)]


def compare(items: list[Item | CallRows], time: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Hold the lines of rows, made at once and one by one, against those of calls; give how many calls there were."""
    for fewest, of_blocks in ((1, 1), (1, 1 << 30), (1 << 30, 1)):
        monkeypatch.setattr(row_lines, "FEWEST_ROWS", fewest)
        monkeypatch.setattr(tail_columns, "FEWEST_ROWS", fewest)
        monkeypatch.setattr(templates, "FEWEST_OF_BLOCKS", of_blocks)
        expected, lines = CallLines(time=time), CallLines(time=time)
        together = RowLines(lines)
        calls = 0
        for item in items:
            if not isinstance(item, tuple):
                continue
            texts = []
            for call in item.calls():
                expected.learn(call)
                texts.append(expected.call(call))
            calls += len(texts)
            assert together.lines(item).decode() == "".join(texts)
        assert lines.widths == expected.widths
    return calls


@pytest.mark.parametrize("path", sorted(CAPTURES.glob("*.pcap*")), ids=lambda path: path.name)
def test_recordings(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(items_of(list(CaptureReader(str(path))), monkeypatch), "absolute", monkeypatch)


@pytest.mark.parametrize("time", ["absolute", "local", "relative", "delta"])
def test_many_calls_of_few_kinds(time: str, monkeypatch: pytest.MonkeyPatch) -> None:
    row, random = next(row for row in ROWS if row.name == "intact"), Random("lines")
    packets = transmit(compose(random, connections=8, calls=60, **row.traffic), random, **row.segments)
    assert compare(items_of(list(batches(packets)), monkeypatch), time, monkeypatch) > 200


def test_lines_that_were_expected_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of("java-4.3.1-basic.pcap", monkeypatch)
    monkeypatch.setattr(tail_columns, "FEWEST_ROWS", 1)
    alone = RowLines(CallLines())
    whole = [alone.lines(each) for each in rows]
    # One row is too few for columns, two are enough.
    monkeypatch.setattr(row_lines, "FEWEST_ROWS", 2)
    together = RowLines(CallLines())
    together.expect(rows)
    assert [together.lines(each) for each in rows] == whole
