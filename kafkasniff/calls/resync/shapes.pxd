cimport cython

cdef Py_ssize_t _BYTES

@cython.locals(place=Py_ssize_t)
cpdef Py_ssize_t next_shape(bytearray run, Py_ssize_t begin) except? -1
