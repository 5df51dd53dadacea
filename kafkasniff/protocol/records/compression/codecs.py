"""Decompress the records of a batch, in memory that is bounded before it is taken."""

import sys
import zlib
from typing import Final, Protocol

from kafkasniff.protocol.records.compression.decompression_error import DecompressionError
from kafkasniff.protocol.records.compression.lz4_header import with_right_checksum
from kafkasniff.protocol.records.compression.snappy import decompress_snappy

_FIRST_OUTPUT_BYTES: Final = 1 << 20
_OUTPUT_BYTES: Final = 8 << 20
"""Decompressed bytes taken at a time, at first and then: most batches come out at once."""

_WINDOW_BYTES: Final = 32 << 20
"""Largest window of zstd that does not count against the limit; levels up to 19 stay below."""

_ZSTD_DESCRIPTOR_AT: Final = 4
_ZSTD_SINGLE_SEGMENT: Final = 0x20


class _Decompressor(Protocol):
    """The interface of the decompressors of the standard library, backports.zstd and lz4."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes | None: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _GzipDecompressor:
    """zlib's decompressor with the interface of the others."""

    def __init__(self) -> None:
        self._inflater = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._inflater.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflater.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        output = self._inflater.decompress(self._inflater.unconsumed_tail or data, max_length)
        # A full output may leave more inside zlib even when all input was consumed.
        self.needs_input = not self._inflater.unconsumed_tail and len(output) < max_length
        return output


def decompress(compression: str, data: bytes, *, magic: int, limit: int) -> bytes | bytearray:
    """Decompress `data`, the compressed records of a batch or the value of a wrapper message of `magic`.

    Raises DecompressionError when that does not work out, or would give more than `limit` bytes. Takes at most some
    60 MiB beside them.
    """
    if compression == "gzip":
        return _decompress_in_steps("gzip", _GzipDecompressor(), zlib.error, data, limit)
    if compression == "snappy":
        return decompress_snappy(data, limit)
    if compression == "lz4":
        return _decompress_lz4(data, magic, limit)
    if compression == "zstd":
        return _decompress_zstd(data, limit)
    raise DecompressionError(f"expected a known compression, found {compression}")


def _decompress_in_steps(
    name: str, decompressor: _Decompressor, errors: type[Exception], data: bytes, limit: int
) -> bytes | bytearray:
    content: bytes | bytearray = b""
    pending = data
    while not decompressor.eof:
        step = _OUTPUT_BYTES if content else _FIRST_OUTPUT_BYTES
        try:
            output = decompressor.decompress(pending, min(step, limit + 1 - len(content)))
        except errors as error:
            raise DecompressionError(f"expected {name} data, found: {error}", content) from error
        pending = b""
        if not content:
            content = output
        elif output:
            # A bytearray grows in place: there is never a second copy of what came out.
            content = bytearray(content) if isinstance(content, bytes) else content
            content += output
        if len(content) > limit:
            raise DecompressionError.too_large(name, limit, len(content))
        if decompressor.needs_input and not decompressor.eof:
            raise DecompressionError(f"expected the end of the {name} data, found it cut", content)
    if decompressor.unused_data:
        found = f"found {len(decompressor.unused_data)} more bytes"
        raise DecompressionError(f"expected the end of the {name} data, {found}", content)
    return content


def _decompress_lz4(data: bytes, magic: int, limit: int) -> bytes | bytearray:
    from lz4.frame import LZ4FrameDecompressor, get_frame_info

    if magic == 0:
        # Clients before 0.10 computed it over the wrong bytes (KAFKA-3160); Kafka reads over it.
        data = with_right_checksum(data)
    try:
        stated_size = get_frame_info(data)["content_size"]
    except RuntimeError as error:
        raise DecompressionError("expected the header of an LZ4 frame, found other bytes") from error
    if stated_size > limit:
        raise DecompressionError.too_large("lz4", limit)
    return _decompress_in_steps("lz4", LZ4FrameDecompressor(), RuntimeError, data, limit)


def _decompress_zstd(data: bytes, limit: int) -> bytes | bytearray:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

    try:
        stated_size = zstd.get_frame_info(data).decompressed_size
    except zstd.ZstdError as error:
        raise DecompressionError("expected the header of a zstd frame, found other bytes") from error
    if stated_size is not None and stated_size > limit:
        raise DecompressionError.too_large("zstd", limit)
    # A large window is filled like the output itself, so both share the limit.
    window = _zstd_window(data)
    shared = limit + _WINDOW_BYTES
    limit = min(limit, max(shared - window, shared // 2))
    return _decompress_in_steps("zstd", zstd.ZstdDecompressor(), zstd.ZstdError, data, limit)


def _zstd_window(data: bytes) -> int:
    """Give the window's size in bytes that a frame's header asks for (RFC 8878, 3.1.1.1.2), 0 when it has none."""
    if data[_ZSTD_DESCRIPTOR_AT] & _ZSTD_SINGLE_SEGMENT:
        # The content itself is the window.
        return 0
    exponent, mantissa = divmod(data[_ZSTD_DESCRIPTOR_AT + 1], 8)
    return (1 << 10 + exponent) + (1 << 7 + exponent) * mantissa
