# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""CRC-32C: in C where compiled, by the package `crc32c` elsewhere."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

if not cython.compiled:
    from kafkasniff.protocol.records.checksums import checksum_of_magic_2


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
