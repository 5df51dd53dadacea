"""Record batches (magic 2), compressed once and sent many times with other offsets, times and producers."""

import gzip
import json
import struct
from collections.abc import Callable, Iterable
from random import Random
from typing import NamedTuple

import cramjam
from crc32c import crc32c

from benchmarks.primitives import unsigned_varint

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
"""Codec names in the order of their numbers in a batch's attributes."""

_CHECKED = struct.Struct(">hiqqqhii")
"""Attributes to record count, what the CRC covers before the records."""
_UNCHECKED = struct.Struct(">qiibI")
"""Base offset, length, partition leader epoch, magic and CRC."""

_WORDS = (
    "order",
    "customer",
    "warehouse",
    "express",
    "pending",
    "shipped",
    "refund",
    "basket",
    "invoice",
    "voucher",
    "amber",
    "cobalt",
    "violet",
    "Lisbon",
    "Oslo",
    "Kyoto",
    "Quito",
    "Nairobi",
    "Perth",
    "Leipzig",
    "Austin",
    "gross",
    "net",
    "carton",
    "pallet",
    "fragile",
    "priority",
)


class Record(NamedTuple):
    """A record before it has an offset."""

    key: bytes | None
    value: bytes
    headers: tuple[tuple[str, bytes], ...] = ()


class Batch(NamedTuple):
    """Records in their final form but for offset, time and producer."""

    codec: int
    record_count: int
    last_timestamp_delta: int
    """Milliseconds from the first record to the last."""
    records: bytes
    """Compressed with `codec`."""

    def encode(
        self,
        base_offset: int,
        base_timestamp: int,
        leader_epoch: int = 7,
        producer: tuple[int, int, int] = (-1, -1, -1),
    ) -> bytes:
        """Give the batch's bytes; `producer` is producer id, epoch and base sequence, `base_timestamp` in ms."""
        checked = (
            _CHECKED.pack(
                self.codec,
                self.record_count - 1,
                base_timestamp,
                base_timestamp + self.last_timestamp_delta,
                *producer,
                self.record_count,
            )
            + self.records
        )
        # The length counts what follows it: leader epoch (4), magic (1), CRC (4) and what the CRC covers.
        return _UNCHECKED.pack(base_offset, 9 + len(checked), leader_epoch, 2, crc32c(checked)) + checked


def compress_records(records: Iterable[Record], codec: int, milliseconds_apart: int) -> Batch:
    """Encode and compress records that follow each other in steady time."""
    encoded = [_record(delta, delta * milliseconds_apart, record) for delta, record in enumerate(records)]
    last_timestamp_delta = (len(encoded) - 1) * milliseconds_apart
    return Batch(codec, len(encoded), last_timestamp_delta, _COMPRESSORS[codec](b"".join(encoded)))


def make_batches(random: Random, each: int, records: range) -> list[Batch]:
    """Make `each` batches a codec, of as many records as `records` allows, with values of about 200 bytes."""
    return [
        compress_records([order(random) for _ in range(random.choice(records))], codec, random.randint(0, 5))
        for codec in range(len(CODECS))
        for _ in range(each)
    ]


def order(random: Random) -> Record:
    """Invent an order: JSON of about 200 bytes, often with a key, sometimes with headers."""
    number = random.getrandbits(40)
    value = {
        "id": f"{number:010x}",
        "customer": random.randrange(100_000),
        "lines": [[random.choice(_WORDS), random.randrange(1, 20), random.randrange(10_000) / 100] for _ in range(3)],
        "status": random.choice(_WORDS),
        "note": " ".join(random.choices(_WORDS, k=9)),
    }
    headers = (("traceparent", b"00-%032x-01" % random.getrandbits(128)),) if random.random() < 0.1 else ()
    key = b"order-%08x" % (number >> 8) if random.random() < 0.7 else None
    return Record(key, json.dumps(value).encode(), headers)


def _record(offset_delta: int, timestamp_delta: int, record: Record) -> bytes:
    key = _varint(-1) if record.key is None else _varint(len(record.key)) + record.key
    parts = [b"\0", _varint(timestamp_delta), _varint(offset_delta), key, _varint(len(record.value)), record.value]
    parts.append(_varint(len(record.headers)))
    for name, value in record.headers:
        parts += (_varint(len(name)), name.encode(), _varint(len(value)), value)
    body = b"".join(parts)
    return _varint(len(body)) + body


def _varint(value: int) -> bytes:
    return unsigned_varint(value << 1 if value >= 0 else (-value << 1) - 1)


def _xerial_snappy(data: bytes) -> bytes:
    # The framing of snappy-java, which Java clients write: magic, version, lowest compatible version, blocks.
    framed = [b"\x82SNAPPY\0", struct.pack(">ii", 1, 1)]
    for start in range(0, len(data), 32_768):
        block = bytes(cramjam.snappy.compress_raw(data[start : start + 32_768]))
        framed += (struct.pack(">i", len(block)), block)
    return b"".join(framed)


_COMPRESSORS: tuple[Callable[[bytes], bytes], ...] = (
    bytes,
    # No time in the gzip header: the same seed gives the same file.
    lambda data: gzip.compress(data, mtime=0),
    _xerial_snappy,
    lambda data: bytes(cramjam.lz4.compress(data)),
    lambda data: bytes(cramjam.zstd.compress(data)),
)
