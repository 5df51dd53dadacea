import gzip
import json
import struct
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import cramjam
import lz4.frame
import orjson
import pytest

from kafkasniff.protocol.limits import BYTES_PER_RECORD
from kafkasniff.protocol.records.batches import Batch, PlacedProblem, as_json, read_batches
from kafkasniff.protocol.records.records import read_records
from tests.protocol.records.made_batches import BASE_TIMESTAMP, CODECS, batch, message, record, simple_batch, sized_zstd


def xerial(data: bytes) -> bytes:
    block = bytes(cramjam.snappy.compress_raw(data))
    return b"\x82SNAPPY\0" + struct.pack(">iii", 1, 1, len(block)) + block


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "none": bytes,
    "gzip": gzip.compress,
    "snappy": xerial,
    "lz4": lz4.frame.compress,
    "zstd": lambda data: bytes(cramjam.zstd.compress(data)),
}

THREE = b"".join(record(index, b"key %d" % index, b"value %d" % index, (), index * 10) for index in range(3))

LEGACY_WRAPPERS = [json.loads(line) for line in Path(__file__).with_name("legacy_wrappers.jsonl").open()]
"""Written by Kafka 4.3.1 (LegacyRecord.write, Compression.wrapForOutput), with what its MemoryRecords read of each."""

Opened = list[tuple[Batch, list[dict[str, Any]], list[PlacedProblem]]]


def open_all(data: bytes, **options: Any) -> Opened:
    batches, _ = read_batches(data, 0, len(data), side="request")
    return [(found, *read_records(data, found, **options)) for found in batches]


@pytest.mark.parametrize("codec", COMPRESSORS)
def test_records_of_magic_2(codec: str) -> None:
    encoded = batch(COMPRESSORS[codec](THREE), 3, base_offset=50, attributes=CODECS[codec])
    ((found, records, problems),) = open_all(encoded)
    assert problems == []
    assert found.compression == codec
    assert json.loads(orjson.dumps(records)) == [
        {
            "offset": 50 + index,
            "timestamp": BASE_TIMESTAMP + index * 10,
            "key": f"key {index}",
            "value": f"value {index}",
            "headers": [],
        }
        for index in range(3)
    ]


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4"])
def test_a_wrapper_learns_base_offset_and_count_from_its_messages(codec: str) -> None:
    wrapped = b"".join(message(None, b"v", 1, offset, timestamp=7) for offset in (0, 1, 4))
    encoded = message(None, COMPRESSORS[codec](wrapped), 1, 104, CODECS[codec], timestamp=9)
    ((found, records, problems),) = open_all(encoded)
    assert problems == []
    assert [(item["offset"], item["timestamp"]) for item in records] == [(100, 7), (101, 7), (104, 7)]
    item = as_json(found)
    assert (item["baseOffset"], item["lastOffset"], item["recordCount"], item["maxTimestamp"]) == (100, 104, 3, 9)


@pytest.mark.parametrize("wrapper", LEGACY_WRAPPERS, ids=lambda wrapper: wrapper["case"])
def test_wrappers_of_magic_0_and_1_read_as_kafka_reads_them(wrapper: dict[str, Any]) -> None:
    """A message of one magic in a wrapper of the other is read; nothing in a wrapper, or zstd, is refused."""
    data = bytes.fromhex(wrapper["hex"])
    ((found,), problems) = read_batches(data, 0, len(data), side="request")
    records, of_records = read_records(data, found)
    problems += of_records
    if "refused" in wrapper:
        (text,) = (message for _, _, message in problems)
        assert text.startswith(
            {
                "empty": "expected messages in a compressed message, found none, which Kafka refuses",
                "zstd": "expected gzip, snappy or lz4, found zstd in magic",
                "1": "expected a message of magic 0 or 1 like its wrapper, found 2",
            }[wrapper["case"].split()[0]]
        )
    else:
        shown = [[item[name] for name in ("offset", "timestamp", "key", "value")] for item in records]
        assert (shown, problems) == (wrapper["records"], [])


def test_large_batches_read_as_small_ones_do() -> None:
    for count in (99, 100, 5000):
        ((_, records, problems),) = open_all(simple_batch(count))
        assert problems == []
        assert [(item["offset"], item["value"]) for item in records] == [(n, f"value {n}") for n in range(count)]


def test_log_append_time() -> None:
    encoded = batch(THREE, 3, attributes=8, max_timestamp=12345)
    ((_, records, _),) = open_all(encoded)
    assert {item["timestamp"] for item in records} == {12345}


def test_limit_value_cuts_keys_and_values() -> None:
    encoded = batch(record(0, b"long key", b"long value", [(b"header", b"long content")]), 1)
    ((_, (item,), _),) = open_all(encoded, limit_value=4)
    assert (item["key"], item["keySizeInBytes"]) == ("long", 8)
    assert (item["value"], item["valueSizeInBytes"]) == ("long", 10)
    assert item["headers"] == ({"key": "header", "value": "long", "valueSizeInBytes": 12},)


def test_control_records_keep_key_and_value_beside_their_meaning() -> None:
    encoded = batch(record(0, b"\0\0\0\1", b"\0\0\0\0\0\x11"), 1, attributes=0x30)
    ((_, (item,), problems),) = open_all(encoded)
    assert problems == []
    assert (item["keyBase64"], item["valueBase64"]) == ("AAAAAQ==", "AAAAAAAR")
    assert item["control"] == {"version": 0, "typeId": 1, "type": "COMMIT", "coordinatorEpoch": 17}
    encoded = batch(record(0, b"\0\0\0\1", b"\0\0"), 1, attributes=0x30)
    ((_, _, problems),) = open_all(encoded)
    assert [path for _, path, _ in problems] == [".records[0].control"]


WRAPPERS = [(1, codec) for codec in ("gzip", "snappy", "lz4")]


@pytest.mark.parametrize(("magic", "codec"), [*((2, codec) for codec in COMPRESSORS), *WRAPPERS])
@pytest.mark.parametrize("damage", ["cut", "flipped bit", "wrong length", "wrong count"])
def test_damage_is_a_problem_of_its_batch_alone(magic: int, codec: str, damage: str) -> None:
    """Damage done before the CRC is computed, so that nothing but the content tells of it."""
    plain = bytearray(THREE if magic == 2 else b"".join(message(b"k", b"value", 1, offset) for offset in range(3)))
    if damage == "wrong length":
        # The length of the first record, or the last byte of the first message's size.
        plain[0 if magic == 2 else 11] += 2
    compressed = bytearray(COMPRESSORS[codec](bytes(plain)))
    if damage == "cut":
        del compressed[-1]
    if damage == "flipped bit":
        # In the length of the first value, or in what a codec begins with.
        compressed[10 if codec == "none" else 1] ^= 2
    if magic == 2:
        damaged = batch(bytes(compressed), 4 if damage == "wrong count" else 3, 3, CODECS[codec])
    elif damage == "wrong count":
        # A wrapper states no count, but the offset of its last message.
        damaged = message(None, bytes(compressed), 1, 1, CODECS[codec])
    else:
        damaged = message(None, bytes(compressed), 1, 5, CODECS[codec])
    before, (found, _, problems), behind = open_all(simple_batch(2) + damaged + simple_batch(2, 6))
    assert found.crc_valid
    assert [(len(records), others) for _, records, others in (before, behind)] == [(2, []), (2, [])]
    assert problems
    for offset, path, text in problems:
        assert found.records_start <= (offset or 0) <= found.end
        assert path == "" or path.startswith(".records[")
        assert "expected" in text


def test_damage_at_random_raises_nothing() -> None:
    random = Random(12)
    for codec, compress in COMPRESSORS.items():
        for _ in range(150):
            compressed = bytearray(compress(THREE))
            for _ in range(random.randrange(1, 4)):
                compressed[random.randrange(len(compressed))] ^= 1 << random.randrange(8)
            ((_, records, problems),) = open_all(batch(bytes(compressed), 3, attributes=CODECS[codec]), limit=1 << 20)
            assert len(records) == 3 or problems
            wrapper = message(None, bytes(compressed), random.randrange(2), 5, CODECS[codec] or 1)
            ((_, records, problems),) = open_all(wrapper, limit=1 << 20)
            assert records == []
            assert problems


def test_what_a_codec_gives_before_it_is_cut_is_shown() -> None:
    content = b"".join(record(index, None, random_bytes) for index, random_bytes in enumerate([b"v" * 50_000] * 20))
    compressed = lz4.frame.compress(content, block_size=lz4.frame.BLOCKSIZE_MAX64KB)
    ((_, records, problems),) = open_all(batch(compressed[: len(compressed) // 2], 20, attributes=3))
    assert 0 < len(records) < 20
    assert [text for _, _, text in problems] == ["expected the end of the lz4 data, found it cut"]


def test_counts_that_cannot_be() -> None:
    ((_, records, problems),) = open_all(batch(THREE, -1, last_offset_delta=2))
    assert records == []
    assert problems == [(61, "", "expected a number of records, found -1")]
    ((_, records, problems),) = open_all(batch(THREE, 2**31 - 1))
    assert len(records) == 3
    assert len(problems) == 1


def test_a_null_wrapper() -> None:
    ((_, records, problems),) = open_all(message(b"k", None, 1, 5, 1))
    assert records == []
    assert problems == [(26, "", "expected compressed messages, found null")]


def test_records_take_no_more_memory_than_the_limit() -> None:
    count = 1000
    content = b"".join(record(index, None, None) for index in range(count))
    ((_, records, problems),) = open_all(
        batch(gzip.compress(content), count, attributes=1), limit=BYTES_PER_RECORD * 600
    )
    assert len(records) == 600
    assert "600 of 1000 records are shown" in problems[0][2]


@pytest.mark.parametrize("codec", ["gzip", "lz4", "zstd"])
def test_a_batch_of_little_that_becomes_much_is_not_shown(codec: str) -> None:
    compress = sized_zstd if codec == "zstd" else COMPRESSORS[codec]
    small, large = (compress(record(0, b"k", bytes(count << 20), (), 0)) for count in (15, 17))
    [(_, records, problems)] = open_all(batch(small, 1, attributes=CODECS[codec]))
    assert (len(records), problems) == (1, [])
    [(found, records, [(_, path, said)])] = open_all(batch(large, 1, attributes=CODECS[codec]))
    assert (records, path) == ([], "")
    assert said == f"expected {codec} data of at most {16 << 20} bytes when decompressed, found more"
    # What was decompressed in vain counts for the allowance of the run; the others state their size.
    assert found.content_bytes == ((16 << 20) + 1 if codec == "gzip" else 0)


def test_a_large_batch_may_become_32_times_its_size() -> None:
    noise = Random(1).randbytes(1 << 20)
    content = record(0, b"k", noise + bytes(20 << 20), (), 0)
    [(_, records, problems)] = open_all(batch(gzip.compress(content), 1, attributes=CODECS["gzip"]))
    assert (len(records), problems) == (1, [])
