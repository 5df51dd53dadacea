import io

import pytest

from kafkasniff.cli.terminal.progress import progress_text
from kafkasniff.reading import Reading
from tests.conftest import CAPTURES

CAPTURE = CAPTURES / "java-4.3.1-basic.pcap"


def test_share_rate_and_time_left() -> None:
    size = CAPTURE.stat().st_size
    reading = Reading([str(CAPTURE)])
    reading._pass._readers[0].chunk_bytes = 10_000
    texts = [progress_text(reading, 2.0) for _ in reading.batches()]
    shares = [int(text.partition("%")[0]) for text in texts]
    assert shares == sorted(shares)
    assert len(set(shares)) > 3
    assert texts[-1] == f"100% of {size / 1000:.1f} kB, {size / 2000:.1f} kB/s, 0:00 left: 482 packets, 108 calls"
    third = next(text for text, share in zip(texts, shares, strict=True) if share > 20)
    assert " left: " in third


def test_standard_input_has_no_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(CAPTURE.read_bytes())))
    reading = Reading(["-"])
    for _ in reading:
        pass
    assert progress_text(reading, 1.0).startswith("482 packets, 108 calls, ")
    assert "%" not in progress_text(reading, 1.0)
