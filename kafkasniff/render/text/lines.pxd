# What other compiled modules use of lines.py.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.protocol.bodies.text_buffer cimport (
    TextBuffer, kafkasniff_add, kafkasniff_aligned, kafkasniff_duration, kafkasniff_padded,
)
from kafkasniff.render.line_writer cimport LineWriter
from kafkasniff.render.text.clock cimport ClockTime
from kafkasniff.render.text.cut_messages cimport write_cut
from kafkasniff.render.text.line_parts cimport LinePart, LineParts
from kafkasniff.render.text.summaries.summary cimport Summaries

cdef class CallLines(LineWriter):
    cdef Summaries summaries
    cdef object cut, widths, header_rows
    cdef int detail
    cdef object colours
    cdef bytes before_time, before_slow, before_cut, off, clock_text, clock_start
    cdef object time
    cdef str mode, day
    cdef dict outcomes
    cdef ClockTime clock
    cdef bint shows_requests
    cdef long long until_header
    cdef LineParts parts
    cdef int number_width, correlation_width, rest_width

    cpdef int pass_over(self, Call call) except -1
    @cython.locals(arrival=Arrival)
    cdef int write_line(self, Call call, bint is_shown) except -1
    cdef int begin_line(self, long long nanoseconds) except -1
    cdef shorten_line(self, Call call, Py_ssize_t start)
    cdef int write_tail(self, Call call, long long room) except -1
    cdef int write_outcome(self, Call call) except -1
    @cython.locals(place="unsigned char*", to="unsigned char*", behind_api="unsigned char*")
    cdef Py_ssize_t write_columns(self, Call call, long long nanoseconds) except -1
