"""Compressed captures: gzip, zstd, lz4 frames, xz and bzip2, decompressed as they are read, in bounded memory."""

import contextlib
import sys
import zlib
from collections.abc import Callable
from typing import Protocol

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.source import FileSource

MAGIC_LENGTH = 6
"""Bytes from a file's start that are enough to tell the compression."""

INPUT_BYTES = 16 << 10
"""Compressed bytes taken at a time."""

OUTPUT_BYTES = 4 << 10
"""Decompressed bytes taken at a time: what one step yields is lost when the step ends at damage, so it is small."""

XZ_MEMORY_BYTES = 256 << 20
"""Enough for every preset of xz (the greediest takes 65 MiB); a file that asks for more is refused."""


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


def _new_bzip2() -> Decompressor:
    import bz2

    return bz2.BZ2Decompressor()


def _new_xz() -> Decompressor:
    import lzma

    return lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=XZ_MEMORY_BYTES)


def _new_zstd() -> Decompressor:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

    # zstd's own limit for the window, 128 MiB, holds.
    return zstd.ZstdDecompressor()


def _new_lz4() -> Decompressor:
    from lz4.frame import LZ4FrameDecompressor

    decompressor: Decompressor = LZ4FrameDecompressor()
    return decompressor


COMPRESSIONS: dict[bytes, tuple[str, Callable[[], Decompressor]]] = {
    b"\x1f\x8b": ("gzip", GzipDecompressor),
    b"BZh": ("bzip2", _new_bzip2),
    b"\xfd7zXZ\x00": ("xz", _new_xz),
    b"\x28\xb5\x2f\xfd": ("zstd", _new_zstd),
    b"\x04\x22\x4d\x18": ("lz4", _new_lz4),
}


def compression_of(start: bytes) -> tuple[str, Callable[[], Decompressor]] | None:
    """Give name and decompressor of the compression that a file starting with `start` has; None when it has none."""
    return next((found for magic, found in COMPRESSIONS.items() if start.startswith(magic)), None)


class DecompressedSource:
    """Bytes of a compressed file, decompressed; frames that follow each other are one content."""

    def __init__(self, compressed: FileSource, name: str, new_decompressor: Callable[[], Decompressor]) -> None:
        """Decompress what `compressed` holds; `name` is the compression's name for messages."""
        self.file = compressed.file
        self.content = f" of the {name} content"
        self.regular = compressed.regular
        self._compressed = compressed
        self._name = name
        self._new_decompressor = new_decompressor
        self._decompressor = new_decompressor()
        self._damage: CaptureError | None = None

    def read(self, size: int) -> bytes:
        """Give up to `size` bytes, none at the end; what comes from a pipe is given as it comes.

        Raises CaptureError at damage, once all before it was given.
        """
        pieces: list[bytes] = []
        room = size
        while room and not self._damage:
            may_wait = room == size or self._compressed.regular
            try:
                piece = self._step(min(OUTPUT_BYTES, room), may_wait)
            except CaptureError as error:
                self._damage = error
                break
            if piece is None:
                break
            pieces.append(piece)
            room -= len(piece)
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
        """Close the file."""
        self._compressed.close()

    def _step(self, max_length: int, may_wait: bool) -> bytes | None:
        """Give the next output, perhaps empty; None at the end, or when input is needed and must not be waited for."""
        data = b""
        if self._decompressor.eof:
            # Zeros behind a frame are padding (gzip on tapes, xz's stream padding).
            data = (self._decompressor.unused_data or b"").lstrip(b"\0")
            while not data:
                if not may_wait:
                    return None
                following = self._compressed.read(INPUT_BYTES)
                if not following:
                    return None
                data = following.lstrip(b"\0")
            self._decompressor = self._new_decompressor()
        elif self._decompressor.needs_input:
            if not may_wait:
                return None
            data = self._compressed.read(INPUT_BYTES)
            if not data:
                raise CaptureError(
                    f"{self.file}: the {self._name} data is cut: expected more after byte {self._compressed.offset}"
                )
        try:
            return self._decompressor.decompress(data, max_length)
        except Exception as error:  # each library has its own: zlib.error, LZMAError, ZstdError, OSError, RuntimeError
            raise CaptureError(
                f"{self.file}: the {self._name} data is damaged before byte {self._compressed.offset}: {error}"
            ) from error
