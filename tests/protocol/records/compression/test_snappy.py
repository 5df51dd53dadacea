"""Snappy, with elements laid out by hand after google/snappy's format_description.txt."""

import pytest

from kafkasniff.protocol.records.compression.decompression_error import DecompressionError
from kafkasniff.protocol.records.compression.snappy import decompress_snappy

RAW = bytes([5, 4 << 2]) + b"kafka"
"""The length 5, then a literal of five bytes."""
COPY = bytes([10, 1 << 2]) + b"ab" + bytes([0b000_100_01, 2])
"""The length 10, the literal `ab`, and a copy of eight bytes from two bytes before."""
HEADER = b"\x82SNAPPY\0" + bytes.fromhex("00000001 00000001")
"""Of snappy-java's framing: magic, version, lowest compatible version."""


def framed(*blocks: bytes) -> bytes:
    return HEADER + b"".join(len(block).to_bytes(4, "big") + block for block in blocks)


def test_blocks_with_and_without_frames() -> None:
    assert decompress_snappy(RAW, 5) == b"kafka"
    assert decompress_snappy(COPY, 10) == b"ab" * 5
    assert decompress_snappy(framed(RAW, COPY), 15) == b"kafka" + b"ab" * 5
    assert decompress_snappy(HEADER, 0) == b""


def test_the_limit_counts_all_blocks() -> None:
    with pytest.raises(DecompressionError, match="at most 14 bytes"):
        decompress_snappy(framed(RAW, COPY), 14)


@pytest.mark.parametrize("size", [0, -1, 8])
def test_a_block_of_an_impossible_size_is_refused(size: int) -> None:
    damaged = HEADER + size.to_bytes(4, "big", signed=True) + RAW
    with pytest.raises(DecompressionError, match=f"a size of {size} and 7 bytes left"):
        decompress_snappy(damaged, 100)


def test_a_cut_size_is_refused() -> None:
    with pytest.raises(DecompressionError, match="a size of 0 and 0 bytes left"):
        decompress_snappy(framed(RAW) + b"\0\0", 100)


def test_a_length_that_its_bytes_cannot_hold_takes_no_memory() -> None:
    # The length is 2**31 - 1, as a varint.
    with pytest.raises(
        DecompressionError, match="what 11 bytes of snappy data can hold, found 2147483647 bytes stated"
    ):
        decompress_snappy(b"\xff\xff\xff\xff\x07" + RAW[1:], 1 << 40)


def test_damaged_elements_are_refused() -> None:
    with pytest.raises(DecompressionError, match="expected snappy data"):
        decompress_snappy(bytes([10, 1 << 2]) + b"ab" + bytes([0b000_100_01, 3]), 100)
