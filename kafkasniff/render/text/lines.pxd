# What other compiled modules use of lines.py.

from kafkasniff.calls.call cimport Call
from kafkasniff.protocol.headers cimport RequestHeader
from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer
from kafkasniff.render.text.clock cimport ClockTime
from kafkasniff.render.text.summary cimport Summaries

cdef class CallLines:
    cdef TextBuffer out
    cdef Summaries summaries
    cdef object cut
    cdef bint is_wide
    cdef bint is_narrow
    cdef int detail
    cdef object colours
    cdef bytes time_mark, slow_mark, off
    cdef object time
    cdef ClockTime clock
    cdef readonly object brokers
    cdef long long changes
    cdef dict ends, client_ids, told
    cdef str client_id
    cdef bytes client_id_text
    cdef list apis
    cdef Py_ssize_t client_width, server_width, api_width, correlation_width, client_id_width

    cpdef int learn(self, Call call) except -1
    cpdef int write(self, Call call) except -1
    cpdef int pass_over(self, Call call) except -1
    cpdef bytes take(self)
    cdef int write_line(self, Call call, bint is_shown) except -1
    cdef int write_wide(self, Call call, Py_ssize_t start, Py_ssize_t after_time, bint is_shown) except -1
    cdef int write_short(self, Call call, Py_ssize_t start, Py_ssize_t after_time, bint is_shown) except -1
    cdef int write_tail(self, Call call, long long room) except -1
    cdef int write_time(self, long long nanoseconds) except -1
    cdef int write_took(self, Call call) except -1
    cdef Py_ssize_t api_place(self, RequestHeader header) except -1
    cdef int write_ends(self, Call call, RequestHeader header, str client_id) except -1
    cdef int begin_parts(self, Call call, RequestHeader header, str client_id) except -1
    cdef int forget_parts(self) except -1
    cdef int end_line(self, Py_ssize_t start) except -1

cdef int _digits(long long value) except -1
