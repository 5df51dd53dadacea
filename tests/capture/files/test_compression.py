import bz2
import gzip
import io
import lzma
import random
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import lz4.frame
import pytest

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.merge import merge
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.files.windows import DecompressionBudget
from tests.capture.samples import contents, pcap_header, pcap_record, read

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd.compress,
    "lz4": lz4.frame.compress,
}
every_compression = pytest.mark.parametrize("name", COMPRESS)


def packets(count: int) -> list[bytes]:
    """Make packets that compress to about a tenth."""
    source = random.Random(7)
    words = [source.randbytes(20) for _ in range(50)]
    return [b"".join(source.choices(words, k=10)) for _ in range(count)]


def capture(datas: list[bytes]) -> bytes:
    return pcap_header() + b"".join(pcap_record(data) for data in datas)


@every_compression
@pytest.mark.parametrize("chunk_bytes", [1, 1000, 1 << 20])
def test_every_compression_in_every_chunk_size(name: str, chunk_bytes: int) -> None:
    expected = packets(100)
    batches, reader = read(COMPRESS[name](capture(expected)), chunk_bytes)
    assert contents(batches) == expected
    assert reader.damage is None


@every_compression
def test_frames_that_follow_each_other_and_padding(name: str) -> None:
    expected = packets(400)
    content = capture(expected)
    compress = COMPRESS[name]
    data = compress(content[:30_001]) + compress(b"") + compress(content[30_001:]) + bytes(64)
    batches, reader = read(data)
    assert contents(batches) == expected
    assert reader.damage is None


@every_compression
def test_garbage_behind_the_frame_is_damage(name: str) -> None:
    expected = packets(20)
    batches, reader = read(COMPRESS[name](capture(expected)) + b"no frame at all")
    assert contents(batches) == expected
    assert f"-: the {name} data is damaged before byte " in str(reader.damage)


@pytest.mark.parametrize("name", ["gzip", "xz", "zstd", "lz4"])  # bzip2 gives nothing of a block that is cut
def test_cut_file_gives_the_packets_before_the_cut(name: str) -> None:
    expected = packets(3000)
    compressed = COMPRESS[name](capture(expected))
    batches, reader = read(compressed[: len(compressed) // 2])
    found = contents(batches)
    assert expected[: len(found)] == found
    assert len(found) > 1000
    assert str(reader.damage) == f"-: the {name} data is cut: expected more after byte {len(compressed) // 2}"


def test_cut_gzip_gives_all_that_zlib_gets_out() -> None:
    compressed = gzip.compress(capture(packets(300)))
    for length in range(20, len(compressed), 97):
        content = zlib.decompressobj(wbits=31).decompress(compressed[:length])
        whole = max(len(content) - 24, 0) // (16 + 200)
        if len(content) >= 24:
            batches, _ = read(compressed[:length])
            assert len(contents(batches)) == whole


@pytest.mark.parametrize("name", ["gzip", "xz", "zstd"])
def test_damage_within_gives_the_packets_before_it(name: str) -> None:
    expected = packets(3000)
    compressed = bytearray(COMPRESS[name](capture(expected)))
    compressed[len(compressed) // 2] ^= 0xFF
    batches, reader = read(bytes(compressed))
    found = contents(batches)
    assert found[:1000] == expected[:1000]
    assert reader.damage is not None  # of the compression, or of the packets that it made of the damaged bytes


def test_wrong_checksum_at_the_end_is_damage() -> None:
    expected = packets(10)
    compressed = bytearray(gzip.compress(capture(expected)))
    compressed[-6] ^= 1
    batches, reader = read(bytes(compressed))
    assert contents(batches) == expected
    assert "incorrect data check" in str(reader.damage)


@every_compression
def test_compressed_text_is_no_capture(name: str) -> None:
    with pytest.raises(CaptureError) as caught:
        CaptureReader(io.BytesIO(COMPRESS[name](b"# notes\n")))
    assert str(caught.value) == (
        f"-: byte 0 of the {name} content: not a capture: expected a pcap or pcapng magic number, found 23 20 6e 6f"
    )


@every_compression
def test_cut_within_the_first_bytes_names_the_compression(name: str) -> None:
    with pytest.raises(CaptureError, match=f"the {name} data is cut"):
        CaptureReader(io.BytesIO(COMPRESS[name](capture(packets(3)))[:7]))


def test_xz_that_asks_for_gigabytes_is_refused() -> None:
    greedy = lzma.compress(b"", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20}])
    # The dictionary size, in the block header, is one byte: 0x28 would be 4 GiB - 1 (xz file format, 5.3.1).
    content = bytearray(lzma.compress(capture(packets(1)), filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20}]))
    assert greedy[:6] == content[:6]
    header = content[12:24]
    header[4] = 0x28
    header[8:12] = zlib.crc32(bytes(header[:8])).to_bytes(4, "little")
    content[12:24] = header
    with pytest.raises(CaptureError, match="expected a window of at most 128 MiB, found 4096 MiB; decompress it first"):
        CaptureReader(io.BytesIO(bytes(content)))


def large_window(path: Path, first_second: int, window_log: int = 27) -> CaptureReader:
    """A file of ten packets, one a second, that asks for a window of 128 MiB or another."""
    content = pcap_header() + b"".join(pcap_record(bytes(1000), first_second + number) for number in range(10))
    compressor = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: window_log})
    # Of a known size the window would be as small as that.
    path.write_bytes(compressor.compress(content) + compressor.flush())
    return CaptureReader(str(path))


def merged(paths: list[Path]) -> tuple[int, list[str]]:
    """Give the packets that files give together, and what was wrong with the files."""
    budget = DecompressionBudget()
    readers = [CaptureReader(str(path), budget=budget) for path in paths]
    packets = sum(len(batch) for batch in merge(readers))
    return packets, [str(reader.damage) for reader in readers if reader.damage]


def test_files_with_large_windows_are_read_one_after_the_other(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.zst" for number in range(4)]
    for number, path in enumerate(paths):
        large_window(path, 100 * number)
    assert merged(paths) == (40, [])


def test_a_second_large_window_at_the_same_time_is_refused(tmp_path: Path) -> None:
    first, second, usual = (tmp_path / f"{number}.zst" for number in range(3))
    large_window(first, 0)
    large_window(second, 2)
    large_window(usual, 6, window_log=23)
    assert merged([first, second, usual]) == (
        20,
        [
            f"{second}: the zstd data cannot be decompressed here: its window of 128 MiB does not fit beside"
            " those of the 1 other compressed files read at the same time; decompress it first"
        ],
    )


def test_a_later_frame_may_ask_for_another_window(tmp_path: Path) -> None:
    small, large, both = (tmp_path / name for name in ("small", "large", "both"))
    large_window(small, 0, window_log=10)
    large_window(large, 0)
    both.write_bytes(small.read_bytes() + zstd.compress(b"") + large.read_bytes())
    budget = DecompressionBudget()
    budget.take("another", 128 << 20)
    reader = CaptureReader(str(both), budget=budget)
    assert sum(map(len, reader)) == 10
    assert "its window of 128 MiB does not fit" in str(reader.damage)


@every_compression
def test_what_becomes_too_many_times_as_large(name: str) -> None:
    content = pcap_header() + pcap_record(b"first") + pcap_record(bytes(200_000)) * 50
    compressed = COMPRESS[name](content)
    for ratio, packets_in in ((len(content) // len(compressed) + 1, 51), (20, None)):
        reader = CaptureReader(io.BytesIO(compressed), chunk_bytes=4096, budget=DecompressionBudget(ratio))
        found = contents(list(reader))
        assert found[0] == b"first"
        if packets_in:
            assert (len(found), reader.damage) == (packets_in, None)
        else:
            assert 5 <= len(found) < 51, "5 have come at 1 MiB"
            assert f" of the {name} content: more than 20 times (--bounds ratio) the " in str(reader.damage)


@pytest.mark.parametrize(
    ("name", "tool"), [("zstd", "zstd"), ("lz4", "lz4"), ("xz", "xz"), ("bzip2", "bzip2"), ("gzip", "gzip")]
)
def test_what_the_command_line_tools_write(name: str, tool: str) -> None:
    program = shutil.which(tool)
    if program is None:
        pytest.skip(f"{tool} is not installed")
    expected = packets(500)
    compressed = subprocess.run([program, "-c"], input=capture(expected), capture_output=True, check=True).stdout
    batches, reader = read(compressed)
    assert contents(batches) == expected
    assert reader.damage is None
