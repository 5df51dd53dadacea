# What other compiled modules use of times.py.

from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer

cdef class TimesWriter:
    cdef TextBuffer out
    cdef long long second_ns
    cdef bytes second_text

    cdef int write_time(self, long long nanoseconds, int digits) except -1
    cdef int write_milliseconds(self, long long nanoseconds) except -1
