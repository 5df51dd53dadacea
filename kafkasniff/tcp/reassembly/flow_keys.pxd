cimport cython

cdef Py_ssize_t _LONGEST

cpdef reverse(key)
cpdef canonical(key)
@cython.locals(ends=bytes, width=Py_ssize_t)
cpdef tuple endpoints(key)
@cython.locals(width=Py_ssize_t, place=Py_ssize_t, view="const unsigned char*")
cdef bint _is_canonical(bytes ends) except -1
@cython.locals(
    width=Py_ssize_t, size=Py_ssize_t, place=Py_ssize_t, made="unsigned char[36]", view="const unsigned char*",
)
cdef bytes _reverse_ends(bytes ends)
