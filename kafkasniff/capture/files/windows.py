"""What decompressors hold: the windows that compressed frames ask for in their headers, and a budget for all files."""

from kafkasniff.capture.errors import CaptureError

WINDOWS_BYTES = 256 << 20
"""Of all files that are open at once."""

USUAL_WINDOW = 8 << 20
"""What zstd up to level 19 and xz up to level 6 ask for at most."""

LARGE_WINDOWS_BYTES = 128 << 20
"""Of the windows above `USUAL_WINDOW`, all together: one of the largest that zstd takes without being asked to."""


class DecompressionBudget:
    """What the decompressors of files that are open at the same time may take together."""

    def __init__(self, max_ratio: int | None = None) -> None:
        """Begin with nothing taken; each file may become `max_ratio` times as large."""
        self.max_ratio = max_ratio
        self._taken: dict[object, int] = {}

    def take(self, holder: object, window: int) -> None:
        """Take `window` bytes for `holder`, which has none.

        Raises CaptureError, without the file, where too few are left.
        """
        if window > LARGE_WINDOWS_BYTES:
            raise CaptureError(
                f"expected a window of at most {LARGE_WINDOWS_BYTES >> 20} MiB, found {window >> 20} MiB"
            )
        others = self._taken.values()
        large = sum(each for each in others if each > USUAL_WINDOW)
        if sum(others) + window > WINDOWS_BYTES or (window > USUAL_WINDOW and large + window > LARGE_WINDOWS_BYTES):
            raise CaptureError(
                f"its window of {window / (1 << 20):.3g} MiB does not fit beside those of the {len(others)} other"
                " compressed files read at the same time"
            )
        self._taken[holder] = window

    def give_back(self, holder: object) -> None:
        """Give back what `holder` took, if anything."""
        self._taken.pop(holder, None)


# The functions below give the bytes that a decompressor holds for the frame that begins with `start`; None: more of it
# is needed to tell. What is no such frame holds little: its decompressor refuses it.


def gzip_window(start: bytes) -> int | None:
    """Tell it of a gzip member: the state of zlib, and a copy (zlib's zconf.h: 32 KiB and 7 KiB)."""
    return 80 << 10 if start else None


def bzip2_window(start: bytes) -> int | None:
    """Tell it of a bzip2 stream, whose fourth byte is the size of blocks in 100 kB (bzip2's manual, 2.5)."""
    if len(start) < 4:
        return None
    return 100_000 + 400_000 * (start[3] - 0x30 if 0x31 <= start[3] <= 0x39 else 0)


def lz4_window(start: bytes) -> int | None:
    """Tell it of an LZ4 frame: two blocks (lz4's frame format description: 4 to 7 stand for 64 KiB to 4 MiB)."""
    if len(start) < 6:
        return None
    size = start[5] >> 4 & 7
    return (128 << 10) + 2 * (1 << 2 * size + 8 if size >= 4 else 0)


def zstd_window(start: bytes) -> int | None:
    """Tell it of a zstd frame (RFC 8878, 3.1.1.1)."""
    if not b"\x28\xb5\x2f\xfd".startswith(start[:4]):
        return 0
    if len(start) < 5:
        return None
    descriptor = start[4]
    single_segment = bool(descriptor & 0x20)
    if not single_segment:
        if len(start) < 6:
            return None
        exponent, mantissa = start[5] >> 3, start[5] & 7
        return (8 + mantissa) << (7 + exponent)
    at = 5 + (0, 1, 2, 4)[descriptor & 3]
    size = 1 << (descriptor >> 6)
    if len(start) < at + size:
        return None
    content = int.from_bytes(start[at : at + size], "little")
    return content + 256 if size == 2 else content


def xz_window(start: bytes) -> int | None:
    """Tell it of an xz stream: the dictionary of its first block (xz file format 1.2.0, 2.1.1, 3.1 and 5.3.1)."""
    if not start:
        return None
    if not b"\xfd7zXZ\0".startswith(start[:6]):
        return 0
    header = start[12:]
    if not header or len(header) < (length := 4 * header[0] + 4):
        return None
    if not header[0]:
        return 0  # The index: there is no block.
    flags, at = header[1], 2
    for _ in range(bool(flags & 0x40) + bool(flags & 0x80)):
        _, at = _vli(header, at)
    for _ in range((flags & 3) + 1):
        number, at = _vli(header, at)
        size, at = _vli(header, at)
        if number == 0x21 and at < length:
            bits = header[at] & 0x3F
            return (2 | bits & 1) << bits // 2 + 11
        at += size
    return 0


def _vli(data: bytes, at: int) -> tuple[int, int]:
    """Give a number of variable length (xz file format, 1.2) and where what follows it begins."""
    number = 0
    for place, byte in enumerate(data[at : at + 9]):
        number |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return number, at + place + 1
    return number, len(data)
