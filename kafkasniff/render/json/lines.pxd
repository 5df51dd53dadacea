# What other compiled modules use of lines.py.

from kafkasniff.protocol.bodies.json_writer cimport JsonWriter
from kafkasniff.protocol.bodies.tables cimport FieldTable
from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer
from kafkasniff.render.json.batches cimport write_batches

cdef class JsonLines:
    cdef TextBuffer out
    cdef JsonWriter writer
    cdef dict tables
    cdef dict parts
    cdef dict clients
    cdef object interface
    cdef bytes file
    cdef long long second
    cdef bytes second_text

    cpdef int write(self, object call) except -1
    cpdef bytes take(self)
    cdef int write_call(self, object call) except -1
    cdef int write_start(self, object call) except -1
    cdef int write_end(self, object call, int version, bytes partial) except -1
    cdef int write_client(self, object call) except -1
    cdef bint write_body(self, object call, bytes data, bint is_request, int key, int version, Py_ssize_t start) except -1
    cdef int write_decoded(self, object call) except -1
    cdef int write_time(self, object nanoseconds, int digits) except -1
    cdef int write_milliseconds(self, object duration) except -1
    cdef int write_side(self, object frame, bint is_request) except -1
    cdef bytes file_of(self, object interface)
