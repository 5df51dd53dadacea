"""The records of a batch, of any format and compression, in the form of the JSON lines."""

from typing import Any, Final

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.limits import BYTES_PER_RECORD, RECORDS_LIMIT
from kafkasniff.protocol.records.batches import Batch, PlacedProblem
from kafkasniff.protocol.records.compression.codecs import decompress
from kafkasniff.protocol.records.compression.decompression_error import DecompressionError
from kafkasniff.protocol.records.content import in_json_form, is_plain
from kafkasniff.protocol.records.control import decode_control
from kafkasniff.protocol.records.loop import read_one_by_one
from kafkasniff.protocol.records.message_sets import make_absolute, read_key_and_value, read_message_set, single_message
from kafkasniff.protocol.records.raw import RawRecords, record_path

_LEAST_CONTENT: Final = 16 << 20
_MOST_EXPANSION: Final = 32
"""Records of a batch may have so many bytes, or so many times their compressed ones: text compresses to a twentieth."""


def read_records(
    data: bytes, batch: Batch, *, limit: int = RECORDS_LIMIT, limit_value: int | None = None
) -> tuple[list[dict[str, Any]], list[PlacedProblem]]:
    """Read the records of a batch that `read_batches` found in the same `data`, as far as they can be read.

    At most `limit` bytes are decompressed, fewer of what expands much (`_MOST_EXPANSION`), and no more records held
    than take about as much memory. Keys and values are cut to `limit_value` bytes (None: not at all). Paths of problems
    are relative to the batch: `.records[2]` is its third record, the empty path all of it. The base offset and record
    count of a wrapper of magic 0 or 1 stand nowhere but in its records, so they are then put into `batch`.
    """
    raw, problems = _read_raw(data, batch, limit)
    compressed = batch.compression != "none"
    for error in raw.errors:
        # There is no place in the data for what was compressed.
        offset = batch.records_start + (0 if compressed else error.offset)
        behind = f" (at byte {error.offset} when decompressed)" if compressed else ""
        problems.append((offset, error.path, error.message + behind))
    records = raw.records
    if limit_value is not None or not is_plain(raw.texts):
        records = [in_json_form(record, limit_value) for record in records]
    if batch.is_control:
        for index, (record, item) in enumerate(zip(raw.records, records, strict=True)):
            item["control"], message = decode_control(_raw_bytes(record["key"]), _raw_bytes(record["value"]))
            if message:
                problems.append((batch.records_start, record_path(index) + ".control", message))
    return records, problems


def decompress_batch(compression: str, stored: bytes, *, magic: int, limit: int) -> bytes | bytearray:
    """Decompress the records of a batch: at most `limit` bytes, fewer of what expands much; see `decompress`."""
    of_batch = min(limit, max(_LEAST_CONTENT, _MOST_EXPANSION * len(stored)))
    return decompress(compression, stored, magic=magic, limit=of_batch)


def _read_raw(data: bytes, batch: Batch, limit: int) -> tuple[RawRecords, list[PlacedProblem]]:
    stored = data[batch.records_start : batch.end]
    if batch.magic < 2:
        try:
            key, value = read_key_and_value(stored, 0, len(stored))
            if batch.compression == "none":
                return single_message(batch.last_offset, batch.max_timestamp, key, value), []
            if value is None:
                raise ProtocolError("expected compressed messages, found null", 0)
        except ProtocolError as error:
            return RawRecords([], [], []), [(batch.records_start + error.offset, "", error.message)]
        stored = value
    content: bytes | bytearray = stored
    problems: list[PlacedProblem] = []
    if batch.compression != "none":
        try:
            content = decompress_batch(batch.compression, stored, magic=batch.magic, limit=limit)
            batch.content_bytes = len(content)
        except DecompressionError as error:
            problems.append((batch.records_start, "", error.message))
            content, batch.content_bytes = error.content, error.made
    else:
        batch.content_bytes = len(content)
    most = limit // BYTES_PER_RECORD
    raw = _read_message_set(content, batch, most) if batch.magic < 2 else _read_magic_2(content, batch, most)
    if problems:
        # That records end early follows from what is said already.
        raw.errors.clear()
    return raw, problems


def _read_magic_2(content: bytes | bytearray, batch: Batch, most: int) -> RawRecords:
    count, base_offset, base_timestamp = batch.record_count, batch.base_offset, batch.base_timestamp
    assert count is not None
    assert base_offset is not None
    assert base_timestamp is not None
    if count < 0:
        return RawRecords([], [], [ProtocolError(f"expected a number of records, found {count}", 0)])
    raw = read_one_by_one(content, count, base_offset, base_timestamp, most)
    if batch.timestamp_type == "LogAppendTime":
        for record in raw.records:
            record["timestamp"] = batch.max_timestamp
    return raw


def _read_message_set(content: bytes | bytearray, batch: Batch, most: int) -> RawRecords:
    appended = batch.timestamp_type == "LogAppendTime"
    raw = read_message_set(content, most, batch.max_timestamp if appended else None)
    if batch.magic == 1:
        try:
            make_absolute(raw.records, batch.last_offset)
        except ProtocolError as error:
            raw.errors.append(error.with_traceback(None))
    if raw.records:
        batch.base_offset = raw.records[0]["offset"]
        batch.record_count = len(raw.records)
    return raw


def _raw_bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("latin-1")
