cimport cython

@cython.locals(first="long long", last="long long", cut_packets="long long", index=Py_ssize_t)
cdef tuple _measured(long long[::1] times, long long[::1] captured, long long[::1] original)
