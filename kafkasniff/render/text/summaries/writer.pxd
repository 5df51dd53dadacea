cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer
from kafkasniff.render.text.summaries.reader cimport SummaryReader

@cython.final
cdef class SummaryWriter:
    cdef TextBuffer text
    cdef SummaryReader reader
    cdef bint lists_asked

    cdef begin(self)
    cdef int write_request(self, Call call, int key, int version) except -1
    cdef int write_response(self, Call call, int key, bint is_asked) except -1
    cdef int write_member(self) except -1
    cdef int write_slot(self, bytes before, int role) except -1
    cdef int write_value(self, bytes before, int role) except -1
    cdef int write_records(self, Call call, object side) except -1
    cdef int write_size(self, long long size) except -1
    cdef int write_tenths(self, long long tenths, bytes unit) except -1
    cdef int write_count(self, long long count, bytes noun) except -1
