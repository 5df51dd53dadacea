"""What many connections bring comes out in the order in which it ended."""

from collections.abc import Iterator

import pytest

from kafkasniff.calls import runs
from kafkasniff.calls.call import Call
from kafkasniff.calls.columns import talks
from kafkasniff.calls.columns.calls import CallRows
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.limits import CallLimits
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.capture.reader import CaptureReader
from kafkasniff.tcp.limits import TcpLimits
from tests.conftest import CAPTURES
from tests.robustness.damage import ROWS
from tests.robustness.packets import batches
from tests.robustness.test_columns import damaged


def healthy() -> Iterator[PacketBatch]:
    return batches(damaged(next(row for row in ROWS if row.name == "intact")), 1 << 20)


def test_most_calls_of_healthy_traffic_are_found_by_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "FEWEST_SEGMENTS", 1)
    monkeypatch.setattr(talks, "LARGEST_SEGMENT", 1 << 30)
    engine = Engine(TcpLimits(column_packets=1))
    capture = CaptureReader(str(CAPTURES / "kraft3-admin-all.pcap"))
    items = [item for batch in capture for item in engine.feed_columns(batch)]
    rows = [item for item in items if isinstance(item, CallRows)]
    assert sum(each.stop - each.start for each in rows) > engine.counts.calls * 0.5
    assert engine.counts.calls == sum(
        item.stop - item.start if isinstance(item, CallRows) else isinstance(item, Call) for item in items
    )


@pytest.mark.parametrize("held_in_all", [144 << 20, 1])
def test_calls_come_in_the_order_of_their_last_packets(held_in_all: int) -> None:
    """Also where little may be held, so that segments are taken one by one."""
    engine = Engine(TcpLimits(column_packets=1), CallLimits(held_in_all=held_in_all))
    ended = [item.ended.packet for batch in healthy() for item in engine.feed(batch) if isinstance(item, Call)]
    assert len(ended) > 100
    assert ended == sorted(ended)
