# What other compiled modules use of clock.py.

cdef class ClockTime:
    cdef object zone
    cdef long long unit
    cdef int digits
    cdef long long second_ns
    cdef bytes text
    cdef dict texts
    cdef readonly str day

    cdef int take(self, long long nanoseconds) except -1
    cdef int begin(self, long long second) except -1
