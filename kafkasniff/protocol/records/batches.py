"""Headers of record batches, as they follow each other in a `records` field."""

from typing import TYPE_CHECKING, Any, Final, Literal

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.primitives import in_64_bits
from kafkasniff.protocol.records.checksums import COPIED_BYTES, MAGIC_2_CRC_FROM, checksum_of_magic_2, computed_crc
from kafkasniff.protocol.records.layout import (
    COMPRESSION,
    CONTROL,
    CRC_AT,
    DELETE_HORIZON,
    HEADER_BYTES,
    LOG_APPEND_TIME,
    MAGIC_0,
    MAGIC_1,
    MAGIC_2,
    MAGIC_AT,
    OFFSET_AND_SIZE,
    TRANSACTIONAL,
    batch_size,
)

if TYPE_CHECKING:  # sound batches should not wait for it
    from kafkasniff.protocol.records.search import BatchSearch

MAX_BATCHES: Final = 100_000
"""Most batches shown of one field: a limit on memory, since each message of magic 0 and 1 is a batch."""

COMPRESSIONS: Final = ("none", "gzip", "snappy", "lz4", "zstd", "unknown(5)", "unknown(6)", "unknown(7)")
"""Names of the codecs by their number in the attributes (CompressionType)."""

_TIMESTAMP_TYPES: Final = ("CreateTime", "LogAppendTime")
_NO_TIMESTAMP: Final = "NoTimestampType"
"""Of magic 0."""

PlacedProblem = tuple[int | None, str, str]
"""Offset in the data, path and message of a problem."""


class Batch:
    """The header of a batch of magic 2, or of a message of magic 0 or 1, which may wrap compressed messages.

    What a format lacks is as in Kafka's RecordBatch: -1 or False; `base_timestamp` is None.
    """

    __slots__ = (
        "_header",
        "base_offset",
        "content_bytes",
        "crc_valid",
        "end",
        "partial_trailing_bytes",
        "record_count",
        "start",
    )

    def __init__(self, header: tuple[Any, ...], start: int, end: int, crc_valid: bool) -> None:
        """Take the fields of `MAGIC_2`, of a batch that begins at `start` in the data and ends before `end`."""
        # What is seldom asked for stays in the tuple: small batches are many.
        self._header = header
        self.base_offset: int | None = header[0]
        """None for a wrapper of magic 0 or 1 until `read_records` has opened it."""
        self.record_count: int | None = header[12]
        """None for a wrapper of magic 0 or 1 until `read_records` has opened it."""
        self.start = start
        """Position of the batch's first byte in the data."""
        self.end = end
        """Position behind the batch's last byte."""
        self.crc_valid = crc_valid
        self.partial_trailing_bytes = 0
        """Bytes behind the last batch of a Fetch response, in which no further batch is whole."""
        self.content_bytes = 0
        """Bytes that came out of the records, shown or not, once `read_records` has opened the batch."""

    @property
    def magic(self) -> int:
        """Give 0, 1 or 2."""
        magic: int = self._header[3]
        return magic

    @property
    def last_offset(self) -> int:
        """Give the offset of the last record."""
        offset: int = self._header[0] + self._header[6]
        return in_64_bits(offset)

    @property
    def partition_leader_epoch(self) -> int:
        """Give the epoch of the leader that wrote the batch."""
        epoch: int = self._header[2]
        return epoch

    @property
    def compression(self) -> str:
        """Give `none`, `gzip`, `snappy`, `lz4`, `zstd`, or `unknown(5)` to `unknown(7)`."""
        return COMPRESSIONS[self._header[5] & COMPRESSION]

    @property
    def timestamp_type(self) -> str:
        """Give `CreateTime`, `LogAppendTime`, or `NoTimestampType` for magic 0."""
        appended = bool(self._header[5] & LOG_APPEND_TIME)
        return _TIMESTAMP_TYPES[appended] if self._header[3] else _NO_TIMESTAMP

    @property
    def base_timestamp(self) -> int | None:
        """Give milliseconds since 1970 UTC; the delete horizon where the batch has one (KIP-534)."""
        timestamp: int | None = self._header[7]
        return timestamp

    @property
    def max_timestamp(self) -> int:
        """Give milliseconds since 1970 UTC."""
        timestamp: int = self._header[8]
        return timestamp

    @property
    def producer_id(self) -> int:
        """Give the id of an idempotent producer."""
        producer_id: int = self._header[9]
        return producer_id

    @property
    def producer_epoch(self) -> int:
        """Give the epoch of an idempotent producer."""
        epoch: int = self._header[10]
        return epoch

    @property
    def base_sequence(self) -> int:
        """Give the sequence of the first record."""
        sequence: int = self._header[11]
        return sequence

    @property
    def is_transactional(self) -> bool:
        """Tell whether the batch belongs to a transaction."""
        return bool(self._header[5] & TRANSACTIONAL)

    @property
    def is_control(self) -> bool:
        """Tell whether the records are markers of brokers."""
        return bool(self._header[5] & CONTROL)

    @property
    def size_in_bytes(self) -> int:
        """Give the bytes of the whole batch, by its size field."""
        size: int = self._header[1] + OFFSET_AND_SIZE.size
        return size

    @property
    def crc(self) -> int:
        """Give the checksum that the batch states."""
        crc: int = self._header[4]
        return crc

    @property
    def records_start(self) -> int:
        """Give the position behind the header: of the first record, or of a message's key."""
        return self.start + HEADER_BYTES[self._header[3]]

    def sequence(self, offset: int) -> int:
        """Give the sequence of the record at `offset`, which wraps behind 2^31 - 1; -1 for none."""
        if self.base_sequence < 0 or self.base_offset is None:
            return -1
        return (self.base_sequence + offset - self.base_offset) & 0x7FFF_FFFF


def as_json(batch: Batch) -> dict[str, Any]:
    """Give a batch as in the JSON lines, less `where`, `path` and `records`, which the caller knows."""
    (
        _,
        counted,
        leader_epoch,
        magic,
        crc,
        attributes,
        _,
        base_timestamp,
        max_timestamp,
        producer_id,
        producer_epoch,
        base_sequence,
        _,
    ) = batch._header
    item = {
        "magic": magic,
        "baseOffset": batch.base_offset,
        "lastOffset": batch.last_offset,
        "partitionLeaderEpoch": leader_epoch,
        "compression": COMPRESSIONS[attributes & COMPRESSION],
        "timestampType": _TIMESTAMP_TYPES[bool(attributes & LOG_APPEND_TIME)] if magic else _NO_TIMESTAMP,
        "baseTimestamp": base_timestamp,
        "maxTimestamp": max_timestamp,
        "producerId": producer_id,
        "producerEpoch": producer_epoch,
        "baseSequence": base_sequence,
        "isTransactional": bool(attributes & TRANSACTIONAL),
        "isControl": bool(attributes & CONTROL),
        "recordCount": batch.record_count,
        "sizeInBytes": counted + OFFSET_AND_SIZE.size,
        "crc": crc,
        "crcValid": batch.crc_valid,
    }
    if attributes & DELETE_HORIZON:
        item["deleteHorizonMs"] = base_timestamp
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
    search: BatchSearch | None = None
    position = start
    while (position := _read_usual(data, position, end, batches)) < end:
        search = search or _search(data, end)
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
                    if batch.end < end and not search.is_proven(batch.end):
                        # Perhaps its size is what is wrong, and another batch begins elsewhere.
                        batch.end = search.find(position + 1) or batch.end
                elif batch.magic < 2 and batch.compression == "zstd":
                    # DeepRecordsIterator: "Invalid wrapper compressionType"; zstd came with magic 2 (KIP-110).
                    found = f"found zstd in magic {batch.magic}, which Kafka refuses"
                    problems.append((batch.start + MAGIC_AT + 1, path, f"expected gzip, snappy or lz4, {found}"))
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


def _search(data: bytes, end: int) -> "BatchSearch":
    from kafkasniff.protocol.records.search import BatchSearch

    return BatchSearch(data, end)


def _crc_problem(data: bytes, batch: Batch, path: str) -> PlacedProblem:
    computed = computed_crc(data, batch.start, batch.end)
    return batch.start + CRC_AT[batch.magic], path, f"expected the CRC {computed}, found {batch.crc}"


def _read_usual(data: bytes, start: int, end: int, batches: list[Batch]) -> int:
    """Read the headers of batches from `start` on that are of magic 2, whole and with the right CRC into `batches`.

    Gives where none follows, or where there are as many as are shown.
    """
    smallest, to_size = MAGIC_2.size, OFFSET_AND_SIZE.size
    if end - start < smallest or data[start + MAGIC_AT] != 2:
        return start
    unpack, checksum = MAGIC_2.unpack_from, checksum_of_magic_2()
    # Of small batches a copy takes less time than a view does.
    covered = data if end - start <= COPIED_BYTES else memoryview(data)
    while end - start >= smallest and data[start + MAGIC_AT] == 2 and len(batches) < MAX_BATCHES:
        header = unpack(data, start)
        behind = start + to_size + header[1]
        if not start + smallest <= behind <= end or checksum(covered[start + MAGIC_2_CRC_FROM : behind]) != header[4]:
            break
        batches.append(Batch(header, start, behind, True))
        start = behind
    return start


def _read_header(data: bytes, start: int, size: int) -> Batch:
    """Read the header of the batch of `size` bytes at `start`, all of which are there."""
    end = start + size
    computed = computed_crc(data, start, end)
    magic = data[start + MAGIC_AT]
    if magic == 2:
        header = MAGIC_2.unpack_from(data, start)
        return Batch(header, start, end, header[4] == computed)
    timestamp = -1
    if magic == 1:
        offset, counted, crc, _, attributes, timestamp = MAGIC_1.unpack_from(data, start)
    else:
        offset, counted, crc, _, attributes = MAGIC_0.unpack_from(data, start)
    # The other bits mean something in magic 2 only.
    attributes &= COMPRESSION | LOG_APPEND_TIME
    batch = Batch(
        (offset, counted, -1, magic, crc, attributes, 0, None, timestamp, -1, -1, -1, 1), start, end, crc == computed
    )
    if attributes & COMPRESSION:
        batch.base_offset = batch.record_count = None
    return batch
