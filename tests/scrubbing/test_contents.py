"""Contents filled with zeros and noise: as long as they were, compressed too."""

import gzip
import json
import zlib

import lz4.block
import lz4.frame
import pytest
from cramjam import snappy

from kafkasniff.protocol.records.compression.codecs import decompress
from kafkasniff.scrubbing.contents import fill, noise_like, squeezed_into

VALUES = [
    json.dumps({"order": number, "customer": f"customer-{number % 7}", "paid": True}).encode() for number in range(60)
]


def framed(block: bytes) -> bytes:
    return b"\x82SNAPPY\0" + b"\0\0\0\1" * 2 + len(block).to_bytes(4, "big") + block


@pytest.mark.parametrize("values", [VALUES[:1], VALUES[:5], VALUES], ids=len)
@pytest.mark.parametrize("codec", ["gzip", "snappy", "framed snappy", "lz4", "zstd"])
def test_a_content_takes_as_many_bytes_when_it_is_compressed(codec: str, values: list[bytes]) -> None:
    content, spans = bytearray(), []
    for number, value in enumerate(values):
        content += b"%04d" % number
        spans.append((len(content), len(value)))
        content += value
    old = {
        "gzip": lambda data: gzip.compress(data, 6),
        "snappy": lambda data: bytes(snappy.compress_raw(data)),
        "framed snappy": lambda data: framed(bytes(snappy.compress_raw(data))),
        "lz4": lz4.frame.compress,
        "zstd": zstd_compress,
    }[codec](bytes(content))
    name = codec.removeprefix("framed ")
    made = squeezed_into(name, old, bytearray(content), spans, lambda data: None)
    assert len(made) == len(old)
    opened = bytes(decompress(name, made, magic=2, limit=1 << 20))
    assert len(opened) == len(content)
    for number, (at, length) in enumerate(spans):
        assert opened[at - 4 : at] == b"%04d" % number
        assert opened[at : at + length] != content[at : at + length]
    assert b"customer" not in opened


def zstd_compress(data: bytes) -> bytes:
    import sys

    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return bytes(zstd.compress(data))


@pytest.mark.parametrize("content", [b"text " * 3_000, zlib.compress(b"".join(VALUES)) * 9, bytes(9_000)])
def test_noise_leaves_a_content_as_compressible_as_it_is(content: bytes) -> None:
    spans = [(0, len(content) // 2), (len(content) // 2, len(content) - len(content) // 2)]
    made = bytearray(content)
    fill(made, spans, noise_like(content, spans))
    sizes = [len(lz4.block.compress(bytes(each[:16_384]), store_size=False)) for each in (content, made)]
    assert sizes[1] == pytest.approx(sizes[0], abs=max(64, sizes[0] // 10))
    assert len(made) == len(content)


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_every_size_is_met(codec: str) -> None:
    """Where noise steps over a size, the format itself has room: comments, literals of one byte, empty blocks."""
    for wanted in range(200, 1_500, 13):
        content = b"".join(b"%06d" % number + b"?" * 80 for number in range(20))
        spans = [(86 * number + 6, 80) for number in range(20)]
        made = squeezed_into(codec, bytes(wanted), bytearray(content), spans, lambda data: None)
        assert len(made) == wanted
        opened = bytes(decompress(codec, made, magic=2, limit=1 << 20))
        assert len(opened) == len(content)
        assert [opened[86 * number : 86 * number + 6] for number in range(20)] == [b"%06d" % n for n in range(20)]
