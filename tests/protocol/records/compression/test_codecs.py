import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import cramjam
import lz4.frame
import pytest

from kafkasniff.protocol.limits import RECORDS_LIMIT
from kafkasniff.protocol.records.compression.codecs import decompress
from kafkasniff.protocol.records.compression.decompression_error import DecompressionError
from tests.conftest import ROOT
from tests.protocol.records.made_batches import sized_zstd

CONTENT = b"".join(b"line %d of a text that repeats itself\n" % number for number in range(3000))
LARGE_CONTENT = Random(3).randbytes(1000) * 3000

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "snappy": lambda data: bytes(cramjam.snappy.compress_raw(data)),
    "lz4": lambda data: lz4.frame.compress(data, content_checksum=True, store_size=False),
    "zstd": lambda data: bytes(cramjam.zstd.compress(data)),
}

EXTRA_BYTES = 64 << 20

MEASURE = """
import sys
from kafkasniff.protocol.records.batches import read_batches
from kafkasniff.protocol.records.records import read_records
from tests.protocol.records.bombs import BOMBS, zstd_bomb
from tests.protocol.records.made_batches import CODECS, batch, simple_batch

def memory(name):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name))

codec, window_log = sys.argv[1:]
bomb = BOMBS[codec]() if window_log == "0" else zstd_bomb(int(window_log))
data = simple_batch(2) + batch(bomb, 5, 2, CODECS[codec]) + simple_batch(2, 7)
before = memory("VmRSS")
batches, problems = read_batches(data, 0, len(data), side="request")
found = [read_records(data, item) for item in batches]
print(memory("VmHWM") - before)
print([len(records) for records, _ in found])
print(problems + [problem for _, problems in found for problem in problems])
"""


@pytest.mark.parametrize("codec", COMPRESSORS)
@pytest.mark.parametrize("content", [b"", b"x", CONTENT, LARGE_CONTENT], ids=["empty", "byte", "text", "large"])
def test_gives_what_was_compressed(codec: str, content: bytes) -> None:
    assert decompress(codec, COMPRESSORS[codec](content), magic=2, limit=len(content)) == content


@pytest.mark.parametrize("codec", COMPRESSORS)
def test_one_byte_too_many_is_refused(codec: str) -> None:
    for content in (CONTENT, LARGE_CONTENT):
        with pytest.raises(DecompressionError, match=f"at most {len(content) - 1} bytes"):
            decompress(codec, COMPRESSORS[codec](content), magic=2, limit=len(content) - 1)


@pytest.mark.parametrize("codec", COMPRESSORS)
def test_cut_data_gives_what_came_before(codec: str) -> None:
    compressed = COMPRESSORS[codec](CONTENT)
    for length in range(0, len(compressed), 97):
        with pytest.raises(DecompressionError) as refused:
            decompress(codec, compressed[:length], magic=2, limit=RECORDS_LIMIT)
        assert CONTENT.startswith(refused.value.content)


@pytest.mark.parametrize("codec", COMPRESSORS)
def test_bytes_behind_the_end_are_said(codec: str) -> None:
    with pytest.raises(DecompressionError):
        decompress(codec, COMPRESSORS[codec](CONTENT) + b"more", magic=2, limit=RECORDS_LIMIT)


@pytest.mark.parametrize("codec", COMPRESSORS)
def test_other_bytes_are_refused(codec: str) -> None:
    random = Random(4)
    for _ in range(200):
        with pytest.raises(DecompressionError):
            decompress(codec, random.randbytes(random.randrange(60)), magic=2, limit=1000)


def test_unknown_codecs_are_refused() -> None:
    with pytest.raises(DecompressionError, match=r"found unknown\(5\)"):
        decompress("unknown(5)", b"data", magic=2, limit=1000)


def test_lz4_linked_blocks_and_block_checksums() -> None:
    frame = lz4.frame.compress(CONTENT, block_size=lz4.frame.BLOCKSIZE_MAX64KB, block_linked=True, block_checksum=True)
    assert decompress("lz4", frame, magic=2, limit=len(CONTENT)) == CONTENT


def test_only_magic_0_may_have_the_wrong_header_checksum() -> None:
    frame = bytearray(COMPRESSORS["lz4"](CONTENT))
    frame[6] ^= 0xFF
    assert decompress("lz4", bytes(frame), magic=0, limit=len(CONTENT)) == CONTENT
    with pytest.raises(DecompressionError):
        decompress("lz4", bytes(frame), magic=1, limit=len(CONTENT))


@pytest.mark.parametrize(
    "compressed",
    [lz4.frame.compress(bytes(5000), store_size=True), sized_zstd(bytes(5000))],
    ids=["lz4", "zstd"],
)
def test_a_stated_size_beyond_the_limit_is_refused_before_anything_comes_out(compressed: bytes) -> None:
    codec = "lz4" if compressed.startswith(b"\x04") else "zstd"
    with pytest.raises(DecompressionError, match="at most 4999 bytes") as refused:
        # The data behind the header is not needed to know.
        decompress(codec, compressed[:-8], magic=2, limit=4999)
    assert refused.value.content == b""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured through /proc")
@pytest.mark.parametrize(
    ("codec", "window_log"),
    [("gzip", 0), ("snappy", 0), ("lz4", 0), ("zstd", 0), ("zstd", 27)],
)
def test_a_bomb_stays_within_the_limit_and_leaves_the_other_batches_alone(codec: str, window_log: int) -> None:
    run = subprocess.run(
        [sys.executable, "-c", MEASURE, codec, str(window_log)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    taken, counts, problems = run.stdout.splitlines()
    assert int(taken) < RECORDS_LIMIT + EXTRA_BYTES
    assert counts == "[2, 0, 2]"
    assert problems.count("when decompressed, found more") == 1
