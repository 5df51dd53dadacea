import random

import pytest

from tests.diagnose.kinds import produce
from tests.diagnose.made import finding, findings


def test_uncompressed_batches() -> None:
    text = b'{"customer": "somebody", "amount": 12345}' * 250
    noise = random.Random(9).randbytes(len(text))
    assert findings("uncompressed-batches", [produce(at, records=50, data=text) for at in range(4)]) == []
    found = finding("uncompressed-batches", [produce(at, records=50, data=text) for at in range(5)])
    assert found.subject["topic"] == "orders"
    assert findings("uncompressed-batches", [produce(at, records=50, data=noise) for at in range(50)]) == []
    lz4 = [produce(at, records=50, data=text, codec="lz4") for at in range(50)]
    assert findings("uncompressed-batches", lz4) == []
    assert findings("uncompressed-batches", [produce(at, records=1, data=text) for at in range(50)]) == []
    assert len(findings("uncompressed-batches", [produce(at, records=2, data=text) for at in range(50)])) == 1


def test_a_codec_that_finds_nothing_to_shrink() -> None:
    """librdkafka sends batches as they are that its codec does not make smaller (rd_kafka_msgset_writer.c)."""
    text = b'{"customer": "somebody", "amount": 12345}' * 250
    some = [produce(at, records=50, data=text, codec="lz4" if at == 7 else "none") for at in range(20)]
    assert findings("uncompressed-batches", some) == []
    digits = random.Random(9).randbytes(len(text)).hex().encode()
    assert findings("uncompressed-batches", [produce(at, records=50, data=digits) for at in range(20)]) == []


@pytest.mark.parametrize(("noisy", "count"), [(0.57, 1), (0.61, 0)])
def test_batches_that_shrink_a_little(noisy: float, count: int) -> None:
    """Random bytes do not shrink at all, zeros to nothing."""
    noise = random.Random(9).randbytes(int(100_000 * noisy))
    data = noise[: int(16_384 * noisy)] + bytes(16_384 - int(16_384 * noisy)) + bytes(4_000)
    assert len(findings("uncompressed-batches", [produce(at, records=9, data=data) for at in range(9)])) == count
