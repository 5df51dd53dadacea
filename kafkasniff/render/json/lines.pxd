# What other compiled modules use of lines.py.

from kafkasniff.calls.call cimport Call, Frame
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

    cpdef int write(self, Call call) except -1
    cpdef bytes take(self)
    cdef int write_call(self, Call call) except -1
    cdef int write_start(self, Call call) except -1
    cdef int write_end(self, Call call, int version, bytes partial) except -1
    cdef int write_client(self, Call call) except -1
    cdef bint write_body(self, Call call, bytes data, bint is_request, int key, int version, Py_ssize_t start) except -1
    cdef int write_decoded(self, Call call) except -1
    cdef int write_time(self, long long nanoseconds, int digits) except -1
    cdef int write_milliseconds(self, long long nanoseconds) except -1
    cdef int write_side(self, Frame frame, bint is_request) except -1
    cdef bytes file_of(self, object interface)
