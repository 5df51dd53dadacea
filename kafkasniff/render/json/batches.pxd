# What other compiled modules use of batches.py.

from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer
from kafkasniff.protocol.records.crc32c cimport crc32c_of

cdef bint write_batches(TextBuffer out, bytes view, str side, list records, bint is_first) except -1
cdef long long _number(bytes view, Py_ssize_t at, int size) except *
