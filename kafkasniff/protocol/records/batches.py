"""Headers of record batches, as they follow each other in a `records` field."""

from dataclasses import dataclass
from typing import Any, Final, Literal

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.records.checksums import computed_crc
from kafkasniff.protocol.records.layout import CRC_AT, MAGIC_0, MAGIC_1, MAGIC_2, MAGIC_AT, batch_size
from kafkasniff.protocol.records.search import BatchSearch, is_proven

MAX_BATCHES: Final = 100_000
"""Most batches shown of one field: a limit on memory, since each message of magic 0 and 1 is a batch."""

COMPRESSIONS: Final = ("none", "gzip", "snappy", "lz4", "zstd", "unknown(5)", "unknown(6)", "unknown(7)")
"""Names of the codecs by their number in the attributes (CompressionType)."""

# Bits of the attributes; from transactional on in magic 2 only (DefaultRecordBatch).
_COMPRESSION = 0x07
_LOG_APPEND_TIME = 0x08
_TRANSACTIONAL = 0x10
_CONTROL = 0x20
_DELETE_HORIZON = 0x40

PlacedProblem = tuple[int | None, str, str]
"""Offset in the data, path and message of a problem."""


@dataclass(slots=True)
class Batch:
    """The header of a batch of magic 2, or of a message of magic 0 or 1, which may wrap compressed messages.

    What a format lacks is as in Kafka's RecordBatch: -1 or False; `base_timestamp` is None.
    """

    magic: int
    base_offset: int | None
    """None for a wrapper of magic 0 or 1 until `read_records` has opened it."""
    last_offset: int
    partition_leader_epoch: int
    compression: str
    """`none`, `gzip`, `snappy`, `lz4`, `zstd`, or `unknown(5)` to `unknown(7)`."""
    timestamp_type: str
    """`CreateTime`, `LogAppendTime`, or `NoTimestampType` for magic 0."""
    base_timestamp: int | None
    """Milliseconds since 1970 UTC, as is `max_timestamp`; the delete horizon where the batch has one (KIP-534)."""
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    is_transactional: bool
    is_control: bool
    has_delete_horizon: bool
    record_count: int | None
    """None for a wrapper of magic 0 or 1 until `read_records` has opened it."""
    size_in_bytes: int
    """Bytes of the whole batch, by its size field."""
    crc: int
    crc_valid: bool
    start: int
    """Position of the batch's first byte in the data."""
    records_start: int
    """Position behind the header: of the first record, or of a message's key."""
    end: int
    """Position behind the batch's last byte."""
    partial_trailing_bytes: int = 0
    """Bytes behind the last batch of a Fetch response, in which no further batch is whole."""
    content_bytes: int = 0
    """Bytes of the records when decompressed, once `read_records` has opened the batch."""

    def sequence(self, offset: int) -> int:
        """Give the sequence of the record at `offset`, which wraps behind 2^31 - 1; -1 for none."""
        if self.base_sequence < 0 or self.base_offset is None:
            return -1
        return (self.base_sequence + offset - self.base_offset) & 0x7FFF_FFFF

    @property
    def last_sequence(self) -> int:
        """Give the sequence of the last record; -1 for none."""
        return self.sequence(self.last_offset)


def as_json(batch: Batch) -> dict[str, Any]:
    """Give a batch as in the JSON lines, less `where`, `path` and `records`, which the caller knows."""
    item = {
        "magic": batch.magic,
        "baseOffset": batch.base_offset,
        "lastOffset": batch.last_offset,
        "partitionLeaderEpoch": batch.partition_leader_epoch,
        "compression": batch.compression,
        "timestampType": batch.timestamp_type,
        "baseTimestamp": batch.base_timestamp,
        "maxTimestamp": batch.max_timestamp,
        "producerId": batch.producer_id,
        "producerEpoch": batch.producer_epoch,
        "baseSequence": batch.base_sequence,
        "isTransactional": batch.is_transactional,
        "isControl": batch.is_control,
        "recordCount": batch.record_count,
        "sizeInBytes": batch.size_in_bytes,
        "crc": batch.crc,
        "crcValid": batch.crc_valid,
    }
    if batch.has_delete_horizon:
        item["deleteHorizonMs"] = batch.base_timestamp
    if batch.partial_trailing_bytes:
        item["partialTrailingBytes"] = batch.partial_trailing_bytes
    return item


def read_batches(
    data: bytes, start: int, end: int, *, side: Literal["request", "response"]
) -> tuple[list[Batch], list[PlacedProblem]]:
    """Read the headers of the batches in `data[start:end]`, the bytes of a `records` field, and check their CRCs.

    Paths of problems are relative to the field: `[2]` is its third batch. A last batch that a Fetch response cuts is
    no problem, since brokers fill up to the bytes that were asked for; it is said in `partial_trailing_bytes`.
    """
    batches: list[Batch] = []
    problems: list[PlacedProblem] = []
    search = BatchSearch(data, end)
    position = start
    while position < end:
        path = f"[{len(batches)}]"
        if len(batches) == MAX_BATCHES:
            problems.append((position, path, f"{MAX_BATCHES} batches are shown, {end - position} bytes left are not"))
            break
        following: int | None
        try:
            size = batch_size(data, position, end)
        except ProtocolError as error:
            problems.append((error.offset, path, error.message))
            following = search.find(position + 1)
        else:
            if size is not None and size <= end - position:
                batch = _read_header(data, position, size)
                batches.append(batch)
                if not batch.crc_valid:
                    problems.append(_crc_problem(data, batch, path))
                    if batch.end < end and not is_proven(data, batch.end, end):
                        # Perhaps its size is what is wrong, and another batch begins elsewhere.
                        batch.end = search.find(position + 1) or batch.end
                following = batch.end
            else:
                following = search.find(position + 1)
                if following is not None or side == "request":
                    stated = "a batch" if size is None else f"a batch of {size} bytes"
                    problems.append((position, path, f"expected {stated}, found {end - position} bytes left"))
                elif batches:
                    batches[-1].partial_trailing_bytes = end - position
        if following is None:
            break
        position = following
    return batches, problems


def _crc_problem(data: bytes, batch: Batch, path: str) -> PlacedProblem:
    computed = computed_crc(data, batch.start, batch.end)
    return batch.start + CRC_AT[batch.magic], path, f"expected the CRC {computed}, found {batch.crc}"


def _read_header(data: bytes, start: int, size: int) -> Batch:
    """Read the header of the batch of `size` bytes at `start`, all of which are there."""
    end = start + size
    computed = computed_crc(data, start, end)
    magic = data[start + MAGIC_AT]
    if magic == 2:
        (
            base_offset,
            _,
            leader_epoch,
            _,
            crc,
            attributes,
            last_offset_delta,
            base_timestamp,
            max_timestamp,
            producer_id,
            producer_epoch,
            base_sequence,
            record_count,
        ) = MAGIC_2.unpack_from(data, start)
        return Batch(
            magic=2,
            base_offset=base_offset,
            last_offset=base_offset + last_offset_delta,
            partition_leader_epoch=leader_epoch,
            compression=COMPRESSIONS[attributes & _COMPRESSION],
            timestamp_type="LogAppendTime" if attributes & _LOG_APPEND_TIME else "CreateTime",
            base_timestamp=base_timestamp,
            max_timestamp=max_timestamp,
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            base_sequence=base_sequence,
            is_transactional=bool(attributes & _TRANSACTIONAL),
            is_control=bool(attributes & _CONTROL),
            has_delete_horizon=bool(attributes & _DELETE_HORIZON),
            record_count=record_count,
            size_in_bytes=size,
            crc=crc,
            crc_valid=crc == computed,
            start=start,
            records_start=start + MAGIC_2.size,
            end=end,
        )
    if magic == 1:
        offset, _, crc, _, attributes, timestamp = MAGIC_1.unpack_from(data, start)
        timestamp_type = "LogAppendTime" if attributes & _LOG_APPEND_TIME else "CreateTime"
    else:
        offset, _, crc, _, attributes = MAGIC_0.unpack_from(data, start)
        timestamp, timestamp_type = -1, "NoTimestampType"
    compressed = bool(attributes & _COMPRESSION)
    return Batch(
        magic=magic,
        base_offset=None if compressed else offset,
        last_offset=offset,
        partition_leader_epoch=-1,
        compression=COMPRESSIONS[attributes & _COMPRESSION],
        timestamp_type=timestamp_type,
        base_timestamp=None,
        max_timestamp=timestamp,
        producer_id=-1,
        producer_epoch=-1,
        base_sequence=-1,
        is_transactional=False,
        is_control=False,
        has_delete_horizon=False,
        record_count=None if compressed else 1,
        size_in_bytes=size,
        crc=crc,
        crc_valid=crc == computed,
        start=start,
        records_start=start + (MAGIC_1.size if magic else MAGIC_0.size),
        end=end,
    )
