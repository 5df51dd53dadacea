# What other compiled modules use of lines.py.

from kafkasniff.calls.call cimport Call, Frame
from kafkasniff.protocol.bodies.json_writer cimport JsonWriter
from kafkasniff.protocol.bodies.tables cimport FieldTable
from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer
from kafkasniff.protocol.headers cimport RequestHeader
from kafkasniff.render.json.batches cimport write_batches
from kafkasniff.render.json.records cimport RecordsWriter

cdef class JsonLines:
    cdef TextBuffer out
    cdef JsonWriter writer
    cdef dict tables
    cdef dict ends
    cdef dict apis
    cdef dict client_ids
    cdef str client_id
    cdef bytes client_id_text
    cdef tuple client
    cdef bytes client_text
    cdef dict clients
    cdef RecordsWriter records
    cdef dict decoded
    cdef object context
    cdef long long most_elements
    cdef bint shows_records
    cdef bint cuts_values
    cdef object interface
    cdef int digits
    cdef bytes request_file
    cdef bytes response_file
    cdef long long second_ns
    cdef bytes second_text

    cpdef int write(self, Call call) except -1
    cpdef bytes take(self)
    cdef int write_call(self, Call call) except -1
    cdef int write_start(self, Call call) except -1
    cdef int write_end(self, Call call, int version, bytes partial) except -1
    cdef int write_client(self, Call call) except -1
    cdef int take_context(self, context) except -1
    cdef bint write_all_batches(
        self, context, bytes data, bytes answer, list records, list response_records, bint is_internal
    ) except -1
    cdef int write_known_decoded(self, Call call) except -1
    cdef int write_topics(self, names) except -1
    cdef int add_unsafe(self, str text) except -1
    cdef bint write_body(self, RequestHeader header, bint shows, bytes data, bint is_request, Py_ssize_t start) except -1
    cdef FieldTable table_of(self, int key, int version, bint is_request, bint shows)
    cdef int write_decoded(self, Call call) except -1
    cdef int write_time(self, long long nanoseconds) except -1
    cdef int write_milliseconds(self, long long nanoseconds) except -1
    cdef int write_side(self, Frame frame, bint is_request) except -1
    cdef int take_interface(self, interface) except -1
