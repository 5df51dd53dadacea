"""Compressed data that is small itself and has 1 GiB of zeros in it, made without making those."""

import struct
import zlib

import cramjam
import lz4.frame

SIZE = 1 << 30
_PIECE = 4 << 20


def gzip_bomb() -> bytes:
    """A full flush makes every piece independent, so all but the first are the same bytes.

    The checksum at the end is that of two pieces, since nothing should get there.
    """
    compressor = zlib.compressobj(1, wbits=31)
    first, other = (compressor.compress(bytes(_PIECE)) + compressor.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + other * (SIZE // _PIECE - 1) + compressor.flush()


def snappy_bomb() -> bytes:
    """Blocks in snappy-java's framing."""
    block = bytes(cramjam.snappy.compress_raw(bytes(_PIECE)))
    return b"\x82SNAPPY\0" + struct.pack(">ii", 1, 1) + (struct.pack(">i", len(block)) + block) * (SIZE // _PIECE)


def lz4_bomb() -> bytes:
    """A frame of independent blocks, which does not state its size."""
    compressor = lz4.frame.LZ4FrameCompressor(block_size=lz4.frame.BLOCKSIZE_MAX4MB, block_linked=False)
    header = compressor.begin()
    block = compressor.compress(bytes(_PIECE)) + compressor.flush()
    # The flush ends the frame with four zero bytes.
    return header + block.removesuffix(bytes(4)) * (SIZE // _PIECE) + bytes(4)


def zstd_bomb(window_log: int = 20) -> bytes:
    """A frame of blocks that repeat one byte (RFC 8878, 3.1.1.2), which does not state its size."""
    piece = 128 << 10
    block = (1 << 1 | piece << 3).to_bytes(3, "little") + b"\0"
    last = (1 | 1 << 1 | piece << 3).to_bytes(3, "little") + b"\0"
    return b"\x28\xb5\x2f\xfd\0" + bytes([window_log - 10 << 3]) + block * (SIZE // piece - 1) + last


BOMBS = {
    "gzip": gzip_bomb,
    "snappy": snappy_bomb,
    "lz4": lz4_bomb,
    "zstd": zstd_bomb,
}
