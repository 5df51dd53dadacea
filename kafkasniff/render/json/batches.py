# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Record batches as JSON, straight from their bytes."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.context import Context
from kafkasniff.calls.spending import CONTENT_WEIGHT
from kafkasniff.protocol.bodies.json_writer import RecordsPlace
from kafkasniff.protocol.bodies.text_buffer import TextBuffer
from kafkasniff.protocol.limits import BYTES_PER_RECORD
from kafkasniff.protocol.records.batches import COMPRESSIONS, MAX_BATCHES
from kafkasniff.protocol.records.layout import COMPRESSION, CONTROL, DELETE_HORIZON, HEADER_BYTES, LOG_APPEND_TIME
from kafkasniff.render.json.records import RecordsWriter

if not cython.compiled:
    from kafkasniff.protocol.bodies.uncompiled_text import kafkasniff_add, kafkasniff_number
    from kafkasniff.protocol.records.crc32c import sound_batch

_HEADER = cython.declare(cython.int, HEADER_BYTES[2])
"""Bytes of the header of a batch of magic 2."""
_COMPRESSION = cython.declare(cython.int, COMPRESSION)
_LOG_APPEND_TIME = cython.declare(cython.int, LOG_APPEND_TIME)
_CONTROL = cython.declare(cython.int, CONTROL)
_DELETE_HORIZON = cython.declare(cython.int, DELETE_HORIZON)
_MOST_BATCHES = cython.declare(cython.int, MAX_BATCHES)
_BYTES_PER_RECORD = cython.declare(cython.longlong, BYTES_PER_RECORD)
_CONTENT_WEIGHT = cython.declare(cython.longlong, CONTENT_WEIGHT)

# What stands before numbers.
_BASE_OFFSET = cython.declare(bytes, b'","magic":2,"baseOffset":')
_LAST_OFFSET = cython.declare(bytes, b',"lastOffset":')
_LEADER_EPOCH = cython.declare(bytes, b',"partitionLeaderEpoch":')
_MAX_TIMESTAMP = cython.declare(bytes, b',"maxTimestamp":')
_PRODUCER_ID = cython.declare(bytes, b',"producerId":')
_PRODUCER_EPOCH = cython.declare(bytes, b',"producerEpoch":')
_BASE_SEQUENCE = cython.declare(bytes, b',"baseSequence":')
_SIZE = cython.declare(bytes, b',"sizeInBytes":')
_CRC = cython.declare(bytes, b',"crc":')
_CRC_VALID = cython.declare(bytes, b',"crcValid":true')
_DELETE_HORIZON_MS = cython.declare(bytes, b',"deleteHorizonMs":')
_TYPES: list[bytes] = [
    f',"compression":"{name}","timestampType":"{time}","baseTimestamp":'.encode()
    for time in ("CreateTime", "LogAppendTime")
    for name in COMPRESSIONS
]
"""By the lowest four bits of the attributes, what stands before the base timestamp."""
_FLAGS: list[bytes] = [
    f',"isTransactional":{is_transactional},"isControl":{is_control},"recordCount":'.encode()
    for is_control in ("false", "true")
    for is_transactional in ("false", "true")
]
"""By the two bits above these, what stands before the count of records."""
_LONGEST_HEADER = cython.declare(cython.Py_ssize_t, 1024)
"""Bytes that all of these and the numbers take at most."""


def write_batches(
    out: TextBuffer,
    data: bytes,
    side: bytes,
    records: list[RecordsPlace],
    is_first: cython.bint,
    writer: RecordsWriter | None,
    context: Context,
) -> cython.bint:
    """Write the batches at places of a body, as `as_json` has them, each but the first behind a comma.

    With a `writer`, their records too, as many as the context allows. Gives False where a batch has a problem, is not
    of magic 2, or has records that are not written so, which `open_batches` and `open_records` tell of; what was
    written by then is to be cut off.
    """
    at: cython.Py_ssize_t
    end: cython.Py_ssize_t
    size: cython.longlong
    crc: cython.longlong
    last_offset: cython.longlong
    attributes: cython.int
    count: cython.int
    left: cython.longlong = context.records_limit if writer is not None else 0
    view = data
    for path, start, behind in records:
        at, end = start, behind
        if at < 0 or end > len(data):
            raise IndexError("bytes behind the end")
        count = 0
        place: bytes = path.encode()
        while at < end:
            count += 1
            size = sound_batch(data, at, end) if count <= _MOST_BATCHES else 0
            if not size:
                return False
            crc = _number(data, at + 17, 4) & 0xFFFFFFFF
            if not is_first:
                out.byte(0x2C)
            is_first = False
            attributes = view[at + 22]
            begin = to = out.reserve(_LONGEST_HEADER + len(side) + len(place))
            to = kafkasniff_add(to, side)
            to = kafkasniff_add(to, place)
            to = kafkasniff_add(to, _BASE_OFFSET)
            to = kafkasniff_number(to, _number(data, at, 8))
            to = kafkasniff_add(to, _LAST_OFFSET)
            last_offset = _number(data, at, 8) + _number(data, at + 23, 4)
            to = kafkasniff_number(to, last_offset)
            to = kafkasniff_add(to, _LEADER_EPOCH)
            to = kafkasniff_number(to, _number(data, at + 12, 4))
            to = kafkasniff_add(to, _TYPES[attributes & 15])
            to = kafkasniff_number(to, _number(data, at + 27, 8))
            to = kafkasniff_add(to, _MAX_TIMESTAMP)
            to = kafkasniff_number(to, _number(data, at + 35, 8))
            to = kafkasniff_add(to, _PRODUCER_ID)
            to = kafkasniff_number(to, _number(data, at + 43, 8))
            to = kafkasniff_add(to, _PRODUCER_EPOCH)
            to = kafkasniff_number(to, _number(data, at + 51, 2))
            to = kafkasniff_add(to, _BASE_SEQUENCE)
            to = kafkasniff_number(to, _number(data, at + 53, 4))
            to = kafkasniff_add(to, _FLAGS[attributes >> 4 & 3])
            to = kafkasniff_number(to, _number(data, at + 57, 4))
            to = kafkasniff_add(to, _SIZE)
            to = kafkasniff_number(to, size)
            to = kafkasniff_add(to, _CRC)
            to = kafkasniff_number(to, crc)
            to = kafkasniff_add(to, _CRC_VALID)
            if attributes & _DELETE_HORIZON:
                to = kafkasniff_add(to, _DELETE_HORIZON_MS)
                to = kafkasniff_number(to, _number(data, at + 27, 8))
            if not cython.compiled:
                out.add(to)
            else:
                out.size += to - begin
            if writer is not None:
                left = write_records(out, data, at, size, writer, context, left)
                if left < 0:
                    return False
            out.byte(0x7D)
            at += size
    return True


def write_records(
    out: TextBuffer,
    data: bytes,
    at: cython.Py_ssize_t,
    size: cython.longlong,
    writer: RecordsWriter,
    context: Context,
    left: cython.longlong,
) -> cython.longlong:
    """Write the records of the batch at a place, which has a whole header.

    `left` is what they and those behind them may take, decompressed and as objects. Gives what is left then; -1 where
    they are not written so.
    """
    view = data
    attributes: cython.int = view[at + 22]
    count: cython.longlong = _number(data, at + 57, 4)
    allowance = context.spending.records
    allowance.earn(size)
    if attributes & _CONTROL or allowance.left <= 0:
        return -1
    content: bytes = data[at + _HEADER : at + size]
    if attributes & _COMPRESSION:
        from kafkasniff.protocol.records.compression.decompression_error import DecompressionError
        from kafkasniff.protocol.records.records import decompress_batch

        try:
            content = bytes(decompress_batch(COMPRESSIONS[attributes & _COMPRESSION], content, magic=2, limit=left))
        except DecompressionError:
            return -1
    out.add(b',"records":')
    is_appended: cython.bint = (attributes & _LOG_APPEND_TIME) != 0
    most: cython.longlong = left // _BYTES_PER_RECORD
    max_timestamp: cython.longlong = _number(data, at + 35, 8)
    if not writer.write(
        content, count, _number(data, at, 8), _number(data, at + 27, 8), is_appended, max_timestamp, most
    ):
        return -1
    of_records: cython.longlong = _BYTES_PER_RECORD * count
    allowance.spend(_CONTENT_WEIGHT * len(content) + of_records)
    return max(left - len(content) - of_records, 0)


def _number(data: bytes, at: cython.Py_ssize_t, size: cython.int) -> cython.longlong:
    """Give the big-endian number of `size` bytes at a place, of which the caller has found that they are there."""
    if not cython.compiled:
        return int.from_bytes(data[at : at + size], "big", signed=True)
    view = data
    return kafkasniff_signed(cython.address(view[at]), size)  # type: ignore[name-defined]  # noqa: F821
