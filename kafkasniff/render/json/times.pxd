# What other compiled modules use of times.py.

from kafkasniff.protocol.bodies.text_buffer cimport kafkasniff_add, kafkasniff_number, kafkasniff_zeros

cdef class Seconds:
    cdef long long second_ns
    cdef bytes text

    cdef unsigned char *write_time(self, unsigned char *to, long long nanoseconds, int digits) except NULL

cdef unsigned char *write_milliseconds(unsigned char *to, long long nanoseconds) except NULL
