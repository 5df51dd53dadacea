import random

import crc32c
import pytest

from kafkasniff.protocol.records.crc32c import crc32c_of, sound_batch
from tests.protocol.records.made_batches import message, simple_batch


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", 0),
        # RFC 3720, B.4.
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
        (b"123456789", 0xE3069283),
    ],
)
def test_known_checksums(data: bytes, expected: int) -> None:
    assert crc32c_of(data, 0, len(data)) == expected
    assert crc32c_of(b"x" + data + b"y", 1, 1 + len(data)) == expected


def test_long_checksums_are_those_of_the_package() -> None:
    """Longer than 1,536 bytes, three runs of 512 are taken at once."""
    chance = random.Random(7)
    data = chance.randbytes(20_000)
    for length in (1_535, 1_536, 1_537, 3_071, 3_072, 3_080, 15_360, *(chance.randrange(20_000) for _ in range(200))):
        start = chance.randrange(len(data) - length + 1)
        assert crc32c_of(data, start, start + length) == crc32c.crc32c(data[start : start + length])


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 1), (0, 5), (5, 6)])
def test_bytes_that_are_not_there_are_not_read(start: int, end: int) -> None:
    with pytest.raises(IndexError):
        crc32c_of(b"abcd", start, end)


def test_a_sound_batch_has_its_size() -> None:
    batch = simple_batch(3)
    assert sound_batch(batch, 0, len(batch)) == len(batch)
    assert sound_batch(b"xy" + batch + batch, 2, 2 + 2 * len(batch)) == len(batch)


def test_a_batch_that_is_cut_changed_or_older_is_not_sound() -> None:
    batch = simple_batch(3)
    assert sound_batch(batch, 0, len(batch) - 1) == 0
    assert sound_batch(batch[:60], 0, 60) == 0
    for place in (8, 16, 17, 21, 60, len(batch) - 1):
        changed = bytearray(batch)
        changed[place] ^= 0x80
        assert sound_batch(bytes(changed), 0, len(changed)) == 0
    older = message(b"key", b"v" * 60)
    assert sound_batch(older, 0, len(older)) == 0


@pytest.mark.parametrize(("start", "end"), [(-1, 70), (0, 200)])
def test_a_batch_behind_the_data_is_not_read(start: int, end: int) -> None:
    with pytest.raises(IndexError):
        sound_batch(simple_batch(1), start, end)
