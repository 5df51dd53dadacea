import bz2
import gzip
import lzma
import sys

import lz4.frame
import pytest

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.windows import (
    DecompressionBudget,
    bzip2_window,
    gzip_window,
    lz4_window,
    xz_window,
    zstd_window,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MIB = 1 << 20
CONTENT = b"some bytes"


@pytest.mark.parametrize("log", [10, 17, 21, 23, 24, 27])
def test_zstd_windows_are_those_that_were_asked_for(log: int) -> None:
    compressor = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: log})
    frame = compressor.compress(CONTENT) + compressor.flush()
    assert zstd_window(frame) == 1 << log
    assert [zstd_window(frame[:length]) for length in range(6)] == [None] * 6


def test_zstd_windows_between_powers_of_two() -> None:
    # RFC 8878, 3.1.1.1.2: exponent 13, mantissa 1.
    assert zstd_window(b"\x28\xb5\x2f\xfd\x00" + bytes([13 << 3 | 1])) == 8 * MIB + MIB


@pytest.mark.parametrize("size", [1, 255, 256, 65_791, 65_792, 1_000_000])
def test_a_single_segment_takes_its_content(size: int) -> None:
    frame = zstd.compress(bytes(size))
    assert frame[4] & 0x20
    assert zstd_window(frame) == size


@pytest.mark.parametrize("size", [1 << 12, 3 << 19, MIB, 8 * MIB, 12 * MIB])
@pytest.mark.parametrize("before", [[], [{"id": lzma.FILTER_DELTA, "dist": 1}], [{"id": lzma.FILTER_X86}]])
def test_xz_dictionaries_are_those_that_were_asked_for(size: int, before: list[dict[str, int]]) -> None:
    filters = [*before, {"id": lzma.FILTER_LZMA2, "dict_size": size, "mf": lzma.MF_HC3, "mode": lzma.MODE_FAST}]
    stream = lzma.compress(CONTENT, filters=filters)
    assert xz_window(stream) == size
    assert [xz_window(stream[:length]) for length in range(13)] == [None] * 13
    decompressor = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=size + MIB)
    assert decompressor.decompress(stream) == CONTENT


def test_xz_without_a_block() -> None:
    assert xz_window(lzma.compress(b"")) == 0


@pytest.mark.parametrize(("block_size", "size"), [(4, 64 << 10), (5, 256 << 10), (6, MIB), (7, 4 * MIB)])
def test_lz4_takes_two_blocks(block_size: int, size: int) -> None:
    with lz4.frame.LZ4FrameCompressor(block_size=block_size) as compressor:
        start = compressor.begin()
    assert lz4_window(start) == (128 << 10) + 2 * size


def test_bzip2_takes_four_bytes_for_each_of_a_block() -> None:
    # bzip2(1): to decompress takes 100k + 4 x block size.
    assert [bzip2_window(bz2.compress(CONTENT, level)) for level in (1, 9)] == [500_000, 3_700_000]


def test_gzip_takes_little() -> None:
    assert gzip_window(gzip.compress(CONTENT)) == 80 << 10
    assert gzip_window(b"") is None


@pytest.mark.parametrize("window", [bzip2_window, gzip_window, lz4_window, xz_window, zstd_window])
def test_what_is_no_frame_takes_little(window: object) -> None:
    assert callable(window)
    for number in range(256):
        assert (window(bytes([number]) * 2_000) or 0) < 9 * MIB


def test_the_budget_is_shared() -> None:
    budget = DecompressionBudget()
    for number in range(16):
        budget.take(number, 8 * MIB)
    budget.take("xz -9", 64 * MIB)
    budget.take("another", 64 * MIB)
    for window in (1, 16 * MIB):
        with pytest.raises(CaptureError, match="does not fit beside those of the 18 other compressed files"):
            budget.take("one more", window)
    budget.give_back("another")
    budget.take("one more", 16 * MIB)


def test_large_windows_together_are_bounded() -> None:
    budget = DecompressionBudget()
    budget.take("first", 128 * MIB)
    budget.take("usual", 8 * MIB)
    with pytest.raises(CaptureError, match="its window of 16 MiB does not fit"):
        budget.take("second", 16 * MIB)
    with pytest.raises(CaptureError, match="expected a window of at most 128 MiB, found 256 MiB"):
        DecompressionBudget().take("alone", 256 * MIB)
