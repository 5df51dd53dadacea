# What other compiled modules use of batches.py.

from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer
from kafkasniff.protocol.records.crc32c cimport crc32c_of

cdef bint write_batches(TextBuffer out, const unsigned char[::1] view, str side, list records, bint is_first) except -1
cdef long long _number(const unsigned char[::1] view, Py_ssize_t at, int size) except *
