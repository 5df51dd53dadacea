"""What is shown does not depend on how many packets come at once."""

from pathlib import Path
from random import Random

import pytest

from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.tcp.limits import TcpLimits
from tests.conftest import SHARED, needs_shared
from tests.robustness.conversations import compose
from tests.robustness.damage import ROWS, Row
from tests.robustness.packets import Packet, batches, transmit
from tests.robustness.running import look_at, singly

LARGEST = 2 << 20
"""Bytes of the largest capture that is read: larger ones show nothing else."""
FEW_BYTES = 20_000
"""Of a capture that are read at once, against all of it."""


def captures() -> list[Path]:
    found = [path for folder in ("captures", "fixtures") for path in (SHARED / folder).rglob("*.pcap*")]
    return sorted(path for path in found if path.is_file() and path.stat().st_size <= LARGEST)


@needs_shared
@pytest.mark.parametrize("path", captures(), ids=lambda path: path.name)
def test_captures(path: Path) -> None:
    whole, few = (look_at(CaptureReader(str(path), chunk_bytes=chunk)) for chunk in (LARGEST, FEW_BYTES))
    assert whole == few


def damaged(row: Row, connections: int, calls: int) -> list[Packet]:
    rng = Random(row.name)
    conversations = compose(rng, connections=connections, calls=calls, **row.traffic)
    return row.damage(transmit(conversations, rng, **row.segments), rng)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_damaged_captures(row: Row) -> None:
    packets = damaged(row, connections=6, calls=40)
    assert look_at(batches(packets, len(packets))) == look_at(singly(batches(packets)))


@pytest.mark.parametrize("row", [row for row in ROWS if "mid-" not in row.name], ids=lambda row: row.name)
def test_damaged_short_connections(row: Row) -> None:
    packets = damaged(row, connections=12, calls=7)
    assert look_at(batches(packets, len(packets))) == look_at(singly(batches(packets)))


@pytest.mark.parametrize("remembered", [20_000, 200_000])
def test_what_is_forgotten(remembered: int) -> None:
    """Where delivered bytes are forgotten in the middle of a batch, repeats are counted the same."""
    packets = damaged(next(row for row in ROWS if row.name == "retransmitted whole"), connections=6, calls=40)
    limits = TcpLimits(remembered=remembered)
    assert look_at(batches(packets, len(packets)), limits) == look_at(singly(batches(packets)), limits)
