"""Contents in place of others: as long, and as compressible."""

import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import product
from random import Random
from typing import Any

from kafkasniff.protocol.records.compression.snappy import MAGIC

Spans = Sequence[tuple[int, int]]
"""Where keys, values and headers lie: position and bytes of each."""

FILLER = b"x"
"""What stands for bytes that are not told. Who begins to read in the middle of messages takes zeros for sizes of empty
ones, and this for one that is too large."""
_CHUNK = 256
"""Bytes of a long value, each of which has its share of noise."""
_NOISE_STEP = 1 << 16
_SAMPLED = 16_384
"""Bytes by which contents that are not compressed are weighed."""
_NEAR = 50
"""The share of a size that contents may differ by which are not compressed: one part of so many."""
_TRIES = 24
"""Fillings tried on each side of the one that nearly has the size."""
_COMMENT = 0x10
"""The flag of a comment in a gzip header (RFC 1952, 2.3.1)."""
_COMMENT_AT = 10
_EMPTY_BLOCK = b"\0\0\0"
"""A raw block of Zstandard without content that is not the last (RFC 8878, 3.1.1.2)."""
_MOST_EMPTY = 300
"""Bytes of those at most: noise is to take the room, so that the content stays as compressible as it was."""
_FRAMING = 20
"""Bytes before the one block that snappy-java's framing gets here: its header, and the size of the block."""


def fill(content: bytearray, spans: Spans, noise: int, evenly: bool = True) -> None:
    """Put `noise` bytes without any pattern into the spans, and `FILLER` into the rest of them.

    The noise is shared out evenly, or fills the first spans.
    """
    if evenly:
        spans = [(at, length) for span in spans for at, length in _chunks(*span)]
    total = sum(length for _, length in spans)
    random = _noise(-(-noise // _NOISE_STEP) * _NOISE_STEP)
    before = seen = 0
    for at, length in spans:
        seen += length
        now = noise * seen // max(total, 1) if evenly else min(noise, seen)
        part = random[before:now]
        content[at : at + length] = part + FILLER * (length - len(part))
        before = now


@lru_cache(4)
def _noise(size: int) -> bytes:
    """Give bytes without any pattern; they tell nothing, as they are the same everywhere."""
    return Random(0).randbytes(size)


def _chunks(at: int, length: int) -> Iterator[tuple[int, int]]:
    for start in range(0, length, _CHUNK):
        yield at + start, min(_CHUNK, length - start)


def noise_like(content: bytes, spans: Spans) -> int:
    """Give how much noise leaves a content about as compressible as it is: its first bytes, by LZ4."""
    from lz4.block import compress

    whole = sum(length for _, length in spans)
    spans = [(at, min(length, _SAMPLED - at)) for at, length in spans if at < _SAMPLED]
    total = sum(length for _, length in spans)
    sample = bytearray(content[:_SAMPLED])
    wanted = len(compress(content[:_SAMPLED], store_size=False))

    def size_of(noise: int) -> int:
        fill(sample, spans, noise)
        return len(compress(bytes(sample), store_size=False))

    return _noise_for(size_of, total, wanted, wanted // _NEAR) * whole // max(total, 1)


def squeezed_into(codec: str, old: bytes, content: bytearray, spans: Spans, mend: Callable[[bytearray], None]) -> bytes:
    """Fill the spans of a content so that it takes as many bytes as `old`, compressed; give these.

    `mend` makes checksums within right. Gives nothing where no filling does. The search for how much noise there is to
    be comes near, and the few around it differ by a byte or two.
    """
    wanted = len(old)
    total = sum(length for _, length in spans)
    for compress, evenly in product(_encoders(codec, old), (False, True)):
        made = b""

        def size_of(noise: int, compress: Callable[[bytes], bytes] = compress, evenly: bool = evenly) -> int:
            nonlocal made
            fill(content, spans, noise, evenly)
            mend(content)
            made = _padded(codec, compress(bytes(content)), wanted)
            return len(made)

        near = _noise_for(size_of, total, wanted, 0)
        around = range(max(near - _TRIES, 0), min(near + _TRIES, total) + 1)
        if len(made) == wanted or any(
            size_of(noise) == wanted for noise in sorted(around, key=lambda n: abs(n - near))
        ):
            return made
    return b""


def _noise_for(size_of: Callable[[int], int], most: int, wanted: int, tolerance: int) -> int:
    """Give how much noise, up to `most`, has the size that is wanted, or the least that has more.

    Noise takes as many bytes as it has: what a size lacks is mostly the noise that is to be added.
    """
    low, high, noise, tries = 0, most, 0, 0
    while True:
        lack = wanted - size_of(noise)
        if abs(lack) <= tolerance:
            return noise
        if lack > 0:
            low = noise + 1
        else:
            high = noise
        if low >= high:
            return min(low, most)
        tries += 1
        # Each third try halves what is left, where sizes do not follow the noise.
        noise = min(max(noise + lack, low), high - 1) if tries % 3 else (low + high) // 2


def _padded(codec: str, made: bytes, wanted: int) -> bytes:
    """Give bytes as long as they are to be where they are shorter, and so far as it works out; of LZ4 as they are."""
    lack = wanted - len(made)
    if codec == "zstd" and lack % len(_EMPTY_BLOCK) == 0 and 0 < lack <= _MOST_EMPTY:
        blocks = _zstd_blocks(made)
        return made[:blocks] + _EMPTY_BLOCK * (lack // len(_EMPTY_BLOCK)) + made[blocks:]
    if lack > 0 and codec == "gzip":
        comment = b"x" * (lack - 1) + b"\0"
        return made[:3] + bytes([_COMMENT]) + made[4:_COMMENT_AT] + comment + made[_COMMENT_AT:]
    if lack > 0 and codec == "snappy":
        if made.startswith(MAGIC):
            return _framed(_longer_snappy(made[_FRAMING:], lack))
        return _longer_snappy(made, lack)
    return made


def _zstd_blocks(frame: bytes) -> int:
    """Give where the blocks of a frame of Zstandard begin (RFC 8878, 3.1.1.1)."""
    flags = frame[4]
    is_single = flags >> 5 & 1
    size_bytes = (is_single, 2, 4, 8)[flags >> 6]
    return 5 + (1 - is_single) + (0, 1, 2, 4)[flags & 3] + size_bytes


def _longer_snappy(block: bytes, lack: int) -> bytes:
    """Give a block of Snappy that means the same, with up to `lack` bytes more: a literal of its own takes one."""
    at = next(place for place, byte in enumerate(block) if byte < 0x80) + 1
    made = bytearray(block[:at])
    while at < len(block):
        kind, size = block[at] & 3, block[at] >> 2
        behind = at + (1, 2, 3, 5)[kind]
        if kind == 0:
            # The length less one of a literal stands in the tag, or in one to four bytes behind it.
            wide = max(size - 59, 0)
            length = int.from_bytes(block[at + 1 : at + 1 + wide], "little") if wide else size
            start, behind = at + 1 + wide, at + 2 + wide + length
            alone = min(lack, length)
            lack -= alone
            for byte in block[start : start + alone]:
                made += bytes([0, byte])
            tag = block[at] if wide else length - alone << 2
            made += bytes([tag]) + (length - alone).to_bytes(wide, "little") if wide else bytes([tag])
            at = start + alone
        made += block[at:behind]
        at = behind
    return bytes(made)


def _encoders(codec: str, old: bytes) -> list[Callable[[bytes], bytes]]:
    """Give ways to compress, in the framing that there was."""
    if codec == "gzip":
        return [lambda data: _gzip(data, 9)]
    if codec == "snappy":
        return [_framed_snappy if old.startswith(MAGIC) else _snappy]
    if codec == "lz4":
        from lz4 import frame

        flags = [(False, False), (True, False), (False, True), (True, True)]
        return [
            lambda data, size=size, check=check, level=level: frame.compress(  # type: ignore[misc]
                data, compression_level=level, store_size=size, content_checksum=check
            )
            for level in (0, 12)
            for size, check in flags
        ]
    return [
        lambda data, level=level, check=check, size=size: _zstd(data, level, check, size)  # type: ignore[misc]
        for level in (3, 19)
        for check in (0, 1)
        for size in (0, 1)
    ]


def _zstd(data: bytes, level: int, check: int, size: int) -> bytes:
    compressor = _zstd_compressor(level, check, size)
    return bytes(compressor.compress(data, compressor.FLUSH_FRAME))


@cache
def _zstd_compressor(level: int, check: int, size: int) -> Any:
    """Give a compressor of Zstandard, which is dear to make."""
    import sys

    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    option = zstd.CompressionParameter
    return zstd.ZstdCompressor(
        options={option.compression_level: level, option.checksum_flag: check, option.content_size_flag: size}
    )


def _gzip(data: bytes, level: int) -> bytes:
    deflater = zlib.compressobj(level, wbits=16 + zlib.MAX_WBITS)
    return deflater.compress(data) + deflater.flush()


def _snappy(data: bytes) -> bytes:
    from cramjam import snappy

    return bytes(snappy.compress_raw(data))


def _framed(block: bytes) -> bytes:
    # The framing's version and lowest compatible version, as snappy-java writes them.
    return MAGIC + b"\0\0\0\1\0\0\0\1" + len(block).to_bytes(4, "big") + block


def _framed_snappy(data: bytes) -> bytes:
    return _framed(_snappy(data))
