# What other compiled modules use of lines.py.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.calls.frame cimport Frame
from kafkasniff.calls.enrichment.fetch_sessions cimport Covered, SessionStep
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.protocol.bodies.json_writer cimport JsonWriter
from kafkasniff.protocol.bodies.tables cimport FieldTable
from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer, kafkasniff_add, kafkasniff_number
from kafkasniff.render.json.batches cimport write_batches
from kafkasniff.render.json.members cimport session_text, write_errors, write_topics
from kafkasniff.render.json.parts cimport Ends, Layout, SharedParts
from kafkasniff.render.json.records cimport RecordsWriter
from kafkasniff.render.json.times cimport Seconds, write_milliseconds
from kafkasniff.render.line_writer cimport LineWriter

cdef list _ANSWERED, _NO_ERRORS, _NO_IDS, _NO_RECORDS

cdef class JsonLines(LineWriter):
    cdef JsonWriter writer
    cdef SharedParts parts
    cdef Seconds seconds
    cdef RecordsWriter records
    cdef object context
    cdef long long most_elements
    cdef bint shows_records
    cdef bint cuts_values
    cdef object interface
    cdef int digits
    cdef bytes request_file
    cdef bytes response_file

    cdef int write_call(self, Call call) except -1
    @cython.locals(place="unsigned char*", to="unsigned char*")
    cdef int write_start(self, Call call, Layout layout) except -1
    @cython.locals(place="unsigned char*", to="unsigned char*", before_request=bytes, before_response=bytes)
    cdef int write_end(self, Call call, int version, bytes partial) except -1
    cdef int take_context(self, context) except -1
    cdef bint write_all_batches(
        self, context, bytes data, bytes answer, list records, list response_records, bint is_internal
    ) except -1
    cdef int write_known_decoded(self, Call call) except -1
    cdef int add_unsafe(self, str text) except -1
    cdef bint write_response(self, Layout layout, int version, bytes data) except -1
    cdef bint write_body(self, FieldTable table, bytes data, Py_ssize_t start) except -1
    cdef int write_decoded(self, Call call) except -1
    cdef int take_interface(self, interface) except -1
