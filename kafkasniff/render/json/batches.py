# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""The headers of record batches as JSON, straight from their bytes."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.protocol.bodies.text_buffer import TextBuffer
from kafkasniff.protocol.primitives import RecordsField
from kafkasniff.protocol.records.batches import COMPRESSIONS, MAX_BATCHES

if not cython.compiled:
    from kafkasniff.protocol.records.crc32c import crc32c_of

_HEADER = cython.declare(cython.int, 61)
"""Bytes of the header of a batch of magic 2."""
_UINT32 = cython.declare(cython.longlong, 0xFFFFFFFF)
_MOST_BATCHES = cython.declare(cython.int, MAX_BATCHES)
_COMPRESSIONS = cython.declare(list, [f'"{name}"'.encode() for name in COMPRESSIONS])


def write_batches(
    out: TextBuffer,
    view: bytes,
    side: str,
    records: list[RecordsField],
    is_first: cython.bint,
) -> cython.bint:
    """Write the batches in the `records` fields of a body, as `as_json` has them, each but the first behind a comma.

    Gives False where one has a problem or is not of magic 2, which `read_batches` tells of; what was written by then is
    to be cut off.
    """
    at: cython.Py_ssize_t
    end: cython.Py_ssize_t
    size: cython.longlong
    crc: cython.longlong
    attributes: cython.int
    count: cython.int
    for path, start, behind in records:
        at, end = start, behind
        count = 0
        place: bytes = f'{{"where":"{side}","path":"{path}","magic":2,"baseOffset":'.encode()
        while at < end:
            count += 1
            if end - at < _HEADER or view[at + 16] != 2 or count > _MOST_BATCHES:
                return False
            size = _number(view, at + 8, 4) + 12
            crc = _number(view, at + 17, 4) & _UINT32
            if size < _HEADER or size > end - at or crc32c_of(view, at + 21, at + size) != crc:
                return False
            if not is_first:
                out.byte(0x2C)
            is_first = False
            attributes = view[at + 22]
            out.add(place)
            out.number(_number(view, at, 8))
            out.add(b',"lastOffset":')
            out.number(_number(view, at, 8) + _number(view, at + 23, 4))
            out.add(b',"partitionLeaderEpoch":')
            out.number(_number(view, at + 12, 4))
            out.add(b',"compression":')
            out.add(_COMPRESSIONS[attributes & 7])
            out.add(b',"timestampType":"LogAppendTime"' if attributes & 8 else b',"timestampType":"CreateTime"')
            out.add(b',"baseTimestamp":')
            out.number(_number(view, at + 27, 8))
            out.add(b',"maxTimestamp":')
            out.number(_number(view, at + 35, 8))
            out.add(b',"producerId":')
            out.number(_number(view, at + 43, 8))
            out.add(b',"producerEpoch":')
            out.number(_number(view, at + 51, 2))
            out.add(b',"baseSequence":')
            out.number(_number(view, at + 53, 4))
            out.add(b',"isTransactional":true' if attributes & 16 else b',"isTransactional":false')
            out.add(b',"isControl":true' if attributes & 32 else b',"isControl":false')
            out.add(b',"recordCount":')
            out.number(_number(view, at + 57, 4))
            out.add(b',"sizeInBytes":')
            out.number(size)
            out.add(b',"crc":')
            out.number(crc)
            out.add(b',"crcValid":true')
            if attributes & 64:
                out.add(b',"deleteHorizonMs":')
                out.number(_number(view, at + 27, 8))
            out.byte(0x7D)
            at += size
    return True


def _number(view: bytes, at: cython.Py_ssize_t, size: cython.int) -> cython.longlong:
    """Give the big-endian number of `size` bytes at a place."""
    value: cython.longlong = view[at]
    i: cython.Py_ssize_t
    if value >= 0x80:
        value -= 0x100
    for i in range(at + 1, at + size):
        value = value * 0x100 + view[i]
    return value
