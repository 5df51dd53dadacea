# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""CRC-32C, in C where compiled, by the package `crc32c` elsewhere; and batches of magic 2 whose checksum is right."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.protocol.records.checksums import MAGIC_2_CRC_FROM
from kafkasniff.protocol.records.layout import CRC_AT, HEADER_BYTES, MAGIC_AT, OFFSET_AND_SIZE

if not cython.compiled:
    from kafkasniff.octets import big32
    from kafkasniff.protocol.records.checksums import checksum_of_magic_2

_HEADER = cython.declare(cython.int, HEADER_BYTES[2])
_MAGIC_AT = cython.declare(cython.int, MAGIC_AT)
_CRC_AT = cython.declare(cython.int, CRC_AT[2])
_CHECKED_FROM = cython.declare(cython.int, MAGIC_2_CRC_FROM)
_BEFORE_SIZE = cython.declare(cython.int, 8)
_OFFSET_AND_SIZE = cython.declare(cython.int, OFFSET_AND_SIZE.size)


def crc32c_of(data: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.longlong:
    """Give the checksum of `data[start:end]`; raises IndexError where that is not there."""
    if start < 0 or end < start or end > len(data):
        raise IndexError(f"expected bytes {start} to {end}, found {len(data)} altogether")
    if cython.compiled:
        if start == end:
            return 0
        view = data
        return kafkasniff_crc32c(cython.address(view[start]), end - start)  # type: ignore[name-defined]  # noqa: F821
    return checksum_of_magic_2()(memoryview(data)[start:end])


def sound_batch(data: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.longlong:
    """Give the size in bytes of the batch at `start`; 0 for one that is not of magic 2, not whole or has another CRC.

    Raises IndexError where the data do not reach to `end`.
    """
    size: cython.longlong
    if start < 0 or end > len(data):
        raise IndexError(f"expected bytes {start} to {end}, found {len(data)} altogether")
    view = data
    if end - start < _HEADER or view[start + _MAGIC_AT] != 2:
        return 0
    # One that is negative is larger, too, than what is there.
    size = big32(view, start + _BEFORE_SIZE) + _OFFSET_AND_SIZE
    if size < _HEADER or size > end - start:
        return 0
    return size if crc32c_of(data, start + _CHECKED_FROM, start + size) == big32(view, start + _CRC_AT) else 0
