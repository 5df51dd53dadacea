"""Compressed captures: gzip, zstd, lz4 frames, xz and bzip2, decompressed as they are read, in bounded memory."""

import contextlib
import sys
import zlib
from collections.abc import Callable
from typing import NamedTuple, Protocol

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.source import FileSource
from kafkasniff.capture.files.windows import (
    DecompressionBudget,
    bzip2_window,
    gzip_window,
    lz4_window,
    xz_window,
    zstd_window,
)

MAGIC_LENGTH = 6
"""Bytes from a file's start that are enough to tell the compression."""

INPUT_BYTES = 16 << 10
"""Compressed bytes taken at a time."""

OUTPUT_BYTES = 4 << 10
"""Decompressed bytes taken at a time: what one step yields is lost when the step ends at damage, so it is small."""

XZ_MEMORY_BYTES = 1 << 20
"""Enough for what xz takes beside its dictionary."""

FREE_BYTES = 1 << 20
"""Decompressed bytes from which on `max_ratio` is looked at: a capture of a few packets may be mostly zeros."""


class Decompressor(Protocol):
    """One compressed frame, fed piece by piece: the interface of the standard library's own decompressors."""

    @property
    def eof(self) -> bool:
        """Tell whether the frame's end was reached."""

    @property
    def needs_input(self) -> bool:
        """Tell whether nothing more comes out without more input."""

    @property
    def unused_data(self) -> bytes | None:
        """Give the input behind the frame's end; lz4 gives None where there is none."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Take in `data`, give at most `max_length` bytes."""


class GzipDecompressor:
    """zlib's decompressor with the interface of the others; it gives all that zlib gets out before damage."""

    def __init__(self) -> None:
        """Expect a gzip member."""
        self._inflater = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        self.needs_input = True
        # To go back to when zlib reports damage, as it then keeps what it got out: state and input, and output since.
        self._before = self._inflater
        self._input = b""
        self._given = 0
        self._damage: zlib.error | None = None

    @property
    def eof(self) -> bool:
        """Tell whether the member's end was reached."""
        return self._inflater.eof

    @property
    def unused_data(self) -> bytes:
        """Give the input behind the member's end."""
        return self._inflater.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Take in `data`, give at most `max_length` bytes."""
        if self._damage:
            raise self._damage
        if data:
            self._before = self._inflater.copy()
            self._input = data
            self._given = 0
        try:
            output = self._inflater.decompress(self._inflater.unconsumed_tail + data, max_length)
        except zlib.error as error:
            self._damage = error
            self.needs_input = False
            return self._output_before_damage()
        self._given += len(output)
        # A full output may leave more inside zlib even when all input was consumed.
        self.needs_input = not self._inflater.unconsumed_tail and len(output) < max_length
        return output

    def _output_before_damage(self) -> bytes:
        pieces: list[bytes] = []
        with contextlib.suppress(zlib.error):
            for position in range(len(self._input)):
                pieces.append(self._before.decompress(self._input[position : position + 1]))
        return b"".join(pieces)[self._given :]


def _new_gzip(_: int) -> Decompressor:
    return GzipDecompressor()


def _new_bzip2(_: int) -> Decompressor:
    import bz2

    return bz2.BZ2Decompressor()


def _new_xz(window: int) -> Decompressor:
    import lzma

    # A later block that asks for more is refused.
    return lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=window + XZ_MEMORY_BYTES)


def _new_zstd(window: int) -> Decompressor:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

    least, _ = zstd.DecompressionParameter.window_log_max.bounds()
    most = max(least, (window - 1).bit_length())
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: most})


def _new_lz4(_: int) -> Decompressor:
    from lz4.frame import LZ4FrameDecompressor

    decompressor: Decompressor = LZ4FrameDecompressor()
    return decompressor


class Compression(NamedTuple):
    """A way to compress files."""

    name: str
    window: Callable[[bytes], int | None]
    """Gives the memory that a frame takes by its beginning; None: more of it is needed to tell."""
    new_decompressor: Callable[[int], Decompressor]
    """Makes the decompressor of a frame that may take so much."""


COMPRESSIONS = {
    b"\x1f\x8b": Compression("gzip", gzip_window, _new_gzip),
    b"BZh": Compression("bzip2", bzip2_window, _new_bzip2),
    b"\xfd7zXZ\x00": Compression("xz", xz_window, _new_xz),
    b"\x28\xb5\x2f\xfd": Compression("zstd", zstd_window, _new_zstd),
    b"\x04\x22\x4d\x18": Compression("lz4", lz4_window, _new_lz4),
}


def compression_of(start: bytes) -> Compression | None:
    """Give the compression that a file starting with `start` has; None when it has none."""
    return next((found for magic, found in COMPRESSIONS.items() if start.startswith(magic)), None)


class DecompressedSource:
    """Bytes of a compressed file, decompressed; frames that follow each other are one content."""

    def __init__(self, compressed: FileSource, compression: Compression, budget: DecompressionBudget) -> None:
        """Decompress what `compressed` holds, as far as `budget` allows."""
        self.file = compressed.file
        self.content = f" of the {compression.name} content"
        self.regular = compressed.regular
        self._compressed = compressed
        self._compression = compression
        self._budget = budget
        self._given = 0
        self._start = b""
        """The beginning of a frame that has no decompressor yet."""
        self._decompressor: Decompressor | None = None
        self._damage: CaptureError | None = None

    @property
    def bytes_read(self) -> int:
        """Give how many bytes of the file were read, compressed as they are."""
        return self._compressed.offset

    def read(self, size: int) -> bytes:
        """Give up to `size` bytes, none at the end; what comes from a pipe is given as it comes.

        Raises CaptureError at damage, once all before it was given.
        """
        pieces: list[bytes] = []
        room = size
        while room and not self._damage:
            may_wait = room == size or self._compressed.regular
            try:
                self._check_ratio()
                piece = self._step(min(OUTPUT_BYTES, room), may_wait)
            except CaptureError as error:
                self._damage = error
                break
            if piece is None:
                break
            pieces.append(piece)
            room -= len(piece)
            self._given += len(piece)
        if self._damage and room == size:
            raise self._damage
        return b"".join(pieces)

    def step_back(self, size: int) -> bool:
        """Decompress nothing twice."""
        return False

    def park(self) -> None:
        """Hold no file descriptor until the next read, where that can be."""
        self._compressed.park()

    def close(self) -> None:
        """Close the file, and hold no memory."""
        self._compressed.close()
        self._decompressor = None
        self._budget.give_back(self)

    def _check_ratio(self) -> None:
        """Raise CaptureError where more came out than was asked for."""
        ratio = self._budget.max_ratio
        if ratio is None or self._given <= max(FREE_BYTES, ratio * self._compressed.offset):
            return
        raise CaptureError(
            f"{self.file}: byte {self._given}{self.content}: more than {ratio} times (--bounds ratio) the"
            f" {self._compressed.offset} compressed bytes; what follows was not read"
        )

    def _step(self, max_length: int, may_wait: bool) -> bytes | None:
        """Give the next output, perhaps empty; None at the end, or when input is needed and must not be waited for."""
        decompressor, data = self._decompressor, b""
        if decompressor is None or decompressor.eof:
            decompressor = self._begin_frame(may_wait)
            if decompressor is None:
                return None
            data, self._start = self._start, b""
        elif decompressor.needs_input:
            if not may_wait:
                return None
            data = self._compressed.read(INPUT_BYTES)
            if not data:
                raise self._error(f"is cut: expected more after byte {self._compressed.offset}")
        try:
            return decompressor.decompress(data, max_length)
        except Exception as error:  # each library has its own: zlib.error, LZMAError, ZstdError, OSError, RuntimeError
            raise self._error(f"is damaged before byte {self._compressed.offset}: {error}") from error

    def _begin_frame(self, may_wait: bool) -> Decompressor | None:
        """Give the next frame's decompressor; None at the end, or when input is needed and must not be waited for."""
        if self._decompressor is not None:
            self._start = self._decompressor.unused_data or b""
            self._decompressor = None
            self._budget.give_back(self)
        # Zeros behind a frame are padding (gzip on tapes, xz's stream padding).
        self._start = self._start.lstrip(b"\0")
        while (window := self._compression.window(self._start)) is None:
            if not may_wait:
                return None
            following = self._compressed.read(INPUT_BYTES)
            if not following:
                if not self._start:
                    return None
                window = 0
                break
            self._start = (self._start + following).lstrip(b"\0")
        try:
            self._budget.take(self, window)
        except CaptureError as error:
            raise self._error(f"cannot be decompressed here: {error}; decompress it first") from None
        self._decompressor = self._compression.new_decompressor(window)
        return self._decompressor

    def _error(self, text: str) -> CaptureError:
        return CaptureError(f"{self.file}: the {self._compression.name} data {text}")
