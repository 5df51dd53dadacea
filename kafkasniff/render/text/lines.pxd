# What other compiled modules use of lines.py.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.protocol.headers cimport RequestHeader
from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer
from kafkasniff.render.line_writer cimport LineWriter
from kafkasniff.render.text.clock cimport ClockTime
from kafkasniff.render.text.summary cimport Summaries

cdef class CallLines(LineWriter):
    cdef Summaries summaries
    cdef object cut, layout, header_rows
    cdef int detail
    cdef object colours
    cdef bytes time_mark, slow_mark, off
    cdef object time
    cdef str mode, day
    cdef ClockTime clock
    cdef bint shows_requests
    cdef long long until_header
    cdef readonly object brokers
    cdef long long changes
    cdef dict ends, client_ids, cut_ids, told, api_more
    cdef str client_id
    cdef bytes client_id_text
    cdef int client_id_more
    cdef list apis
    cdef int number_width, client_width, server_width, client_id_width, api_width, correlation_width, rest_width

    cpdef int pass_over(self, Call call) except -1
    @cython.locals(arrival=Arrival)
    cdef int write_line(self, Call call, bint is_shown) except -1
    cdef int begin_line(self, long long nanoseconds) except -1
    cdef shorten_line(self, Call call, Py_ssize_t start)
    cdef int write_tail(self, Call call, long long room) except -1
    cdef int write_time(self, long long nanoseconds) except -1
    cdef int write_took(self, Call call) except -1
    cdef Py_ssize_t api_place(self, RequestHeader header) except -1
    cdef int write_ends(self, Call call, RequestHeader header, str client_id) except -1

cdef int _digits(long long value) except -1
