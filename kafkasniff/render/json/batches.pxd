# What other compiled modules use of batches.py.

cimport cython
from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer, kafkasniff_add, kafkasniff_number, kafkasniff_signed
from kafkasniff.protocol.records.crc32c cimport sound_batch
from kafkasniff.render.json.records cimport RecordsWriter

cdef list _TYPES, _FLAGS

@cython.locals(view="const unsigned char*", begin="unsigned char*", to="unsigned char*")
cdef bint write_batches(
    TextBuffer out, bytes data, bytes side, list records, bint is_first, RecordsWriter writer, object context
) except -1
@cython.locals(view="const unsigned char*")
cdef long long write_records(
    TextBuffer out, bytes data, Py_ssize_t at, long long size, RecordsWriter writer, object context, long long left
) except? -1
@cython.locals(view="const unsigned char*")
cdef long long _number(bytes data, Py_ssize_t at, int size) except? -1
