# What other compiled modules use of summary.py.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.calls.frame cimport Frame
from kafkasniff.protocol.bodies.tables cimport FieldTable
from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer
from kafkasniff.protocol.headers cimport RequestHeader
from kafkasniff.render.text.summaries.known cimport KnownSummaries
from kafkasniff.render.text.summaries.reader cimport SummaryReader

@cython.final
cdef class Summaries:
    cdef TextBuffer text
    cdef list codes
    cdef bint is_sound
    cdef long long throttle_ms
    cdef SummaryReader reader
    cdef list tables
    cdef object context
    cdef KnownSummaries known
    cdef bint holds_records
    cdef bint lists_asked

    cdef int summarize(self, Call call) except -1
    cdef int read_both(self, Call call, RequestHeader header) except -1
    cdef bint read_side(self, Call call, Frame frame, bint is_request, int key, int version, Py_ssize_t start) except -1
    cdef FieldTable table_of(self, int key, int version, bint is_request)
    cdef int write_request(self, Call call, int key, int version) except -1
    cdef int write_response(self, Call call, int key, bint is_asked) except -1
    cdef int write_member(self) except -1
    cdef int write_slot(self, bytes before, int role) except -1
    cdef int write_value(self, bytes before, int role) except -1
    cdef int write_records(self, Call call, object side) except -1
    cdef int write_size(self, long long size) except -1
    cdef int write_tenths(self, long long tenths, bytes unit) except -1
    cdef int write_count(self, long long count, bytes noun) except -1
