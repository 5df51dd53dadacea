# What other compiled modules use of summary.py.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.calls.frame cimport Frame
from kafkasniff.protocol.bodies.tables cimport FieldTable
from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer
from kafkasniff.protocol.headers cimport RequestHeader
from kafkasniff.render.text.summaries.known cimport KnownSummaries
from kafkasniff.render.text.summaries.reader cimport SummaryReader
from kafkasniff.render.text.summaries.writer cimport SummaryWriter

@cython.final
cdef class Summaries:
    cdef TextBuffer text
    cdef list codes
    cdef bint is_sound
    cdef long long throttle_ms
    cdef SummaryReader reader
    cdef SummaryWriter writer
    cdef list tables
    cdef object context
    cdef KnownSummaries known
    cdef bint holds_records

    cdef int summarize(self, Call call) except -1
    cdef int read_both(self, Call call, RequestHeader header) except -1
    cdef bint read_side(self, Call call, Frame frame, bint is_request, int key, int version, Py_ssize_t start) except -1
    cdef FieldTable table_of(self, int key, int version, bint is_request)
