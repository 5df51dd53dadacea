# What other compiled modules use of line_writer.py.

from kafkasniff.calls.call cimport Call
from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer

cdef class LineWriter:
    cdef TextBuffer out

    cpdef int learn(self, Call call) except -1
    cpdef int write(self, Call call) except -1
    cpdef bytes take(self)
    cpdef bytes line(self, Call call)
