"""What rules read of record batches, which are laid out here field by field (KIP-98, and the older message sets)."""

import struct

import pytest

from kafkasniff.diagnose.seen.produced import partition_of

NONE = (-1, -1, -1)


def batch(count: int, codec: int = 0, producer: tuple[int, int, int] = NONE, content: bytes = b"records") -> bytes:
    """Format 2: what stands behind the length, behind offset and length."""
    times = (1_000, 1_000)
    after = struct.pack(">ibIhiqqqhii", 0, 2, 0xC0C0C0C0, codec, count - 1, *times, *producer, count) + content
    return struct.pack(">qi", 0, len(after)) + after


def message(codec: int = 0, magic: int = 1, value: bytes = b"value") -> bytes:
    """Formats 0 and 1: CRC, magic, attributes, a time (1 alone), a null key, a value."""
    after = struct.pack(">Ibb", 0xC0C0C0C0, magic, codec) + (struct.pack(">q", 1_000) if magic else b"")
    after += struct.pack(">ii", -1, len(value)) + value
    return struct.pack(">qi", 0, len(after)) + after


@pytest.mark.parametrize("codec", [0, 1, 2, 3, 4])
def test_one_batch(codec: int) -> None:
    data = batch(3, codec, producer=(1 << 40, 7, 99))
    assert partition_of(b"__" + data, 2, 2 + len(data)) == (3, codec == 0, (1 << 40, 7, 99))


def test_who_is_not_idempotent_has_no_producer_id() -> None:
    data = batch(1)
    assert partition_of(data, 0, len(data)) == (1, True, NONE)


def test_several_batches_add_up_and_the_first_producer_counts() -> None:
    data = batch(3) + batch(2, 4, (5, 1, 0)) + batch(1, 0, (6, 0, 0))
    assert partition_of(data, 0, len(data)) == (6, False, (5, 1, 0))


@pytest.mark.parametrize("magic", [0, 1])
def test_older_messages_are_records_and_compressed_ones_hold_more_than_one(magic: int) -> None:
    plain, compressed = message(magic=magic) * 3, message(1, magic)
    assert partition_of(plain, 0, len(plain)) == (3, True, NONE)
    assert partition_of(compressed, 0, len(compressed)) == (2, False, NONE)


@pytest.mark.parametrize("data", [b"", b"\0" * 17])
def test_what_is_no_batch_is_left_out(data: bytes) -> None:
    assert partition_of(data, 0, len(data)) is None
