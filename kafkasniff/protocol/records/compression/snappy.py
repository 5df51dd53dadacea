"""Decompress Snappy, in snappy-java's framing, which Java clients write, or without any."""

from struct import Struct
from typing import Final

from kafkasniff.protocol.records.compression.decompression_error import DecompressionError

MAGIC: Final = b"\x82SNAPPY\0"
_HEADER_BYTES: Final = 16
"""Magic, then the framing's version and lowest compatible version, int32 each (snappy-java's SnappyCodec)."""

_BLOCK_SIZE = Struct(">i")

_MOST_EXPANSION: Final = 22
"""Most bytes that come out of one byte of Snappy: its best element copies 64 bytes for 3."""


_COPIED_BYTES: Final = 1 << 20
"""Up to which size the content is given as bytes, which are faster to read from, at the cost of a copy."""


def decompress_snappy(data: bytes, limit: int) -> bytes | bytearray:
    """Decompress Snappy to at most `limit` bytes. Raises DecompressionError."""
    # Only when needed: importing it takes 10 ms.
    from cramjam import DecompressionError as SnappyError
    from cramjam import snappy

    view = memoryview(data)
    blocks = _framed_blocks(view) if data.startswith(MAGIC) else [view]
    try:
        sizes = [snappy.decompress_raw_len(block) for block in blocks]
        for block, size in zip(blocks, sizes, strict=True):
            if size > _MOST_EXPANSION * len(block):
                found = f"found {size} bytes stated"
                raise DecompressionError(f"expected what {len(block)} bytes of snappy data can hold, {found}")
        if sum(sizes) > limit:
            raise DecompressionError.too_large("snappy", limit)
        content = bytearray(sum(sizes))
        room = memoryview(content)
        for block, size in zip(blocks, sizes, strict=True):
            snappy.decompress_raw_into(block, room[:size])
            room = room[size:]
    except SnappyError as error:
        raise DecompressionError(f"expected snappy data, found: {error}") from error
    return bytes(content) if len(content) <= _COPIED_BYTES else content


def _framed_blocks(data: memoryview) -> list[memoryview]:
    blocks = []
    position = _HEADER_BYTES
    while position < len(data):
        left = len(data) - position - _BLOCK_SIZE.size
        size = _BLOCK_SIZE.unpack_from(data, position)[0] if left >= 0 else 0
        if not 0 < size <= left:
            raise DecompressionError(
                f"expected a block of snappy data, found a size of {size} and {max(left, 0)} bytes left"
            )
        position += _BLOCK_SIZE.size
        blocks.append(data[position : position + size])
        position += size
    return blocks
