cimport cython

cdef int BITS, BYTES, SHORTS, INTS, LONGS, DOUBLES, TEXTS, LISTS

@cython.final
cdef class Column:
    cdef readonly object values, valid
    cdef readonly int kind
    cdef readonly bint is_wanted
    cdef readonly Py_ssize_t nulls
    cdef readonly list elements
    cdef unsigned char[::1] _valid, _bits
    cdef signed char[::1] _bytes
    cdef short[::1] _shorts
    cdef int[::1] _ints
    cdef long long[::1] _longs
    cdef double[::1] _doubles
    cdef dict _places, _encoded
    cdef str _last
    cdef int _last_place

    cdef put_null(self, Py_ssize_t row)
    cdef put_number(self, Py_ssize_t row, long long value)
    cdef put_double(self, Py_ssize_t row, double value)
    cdef put_text(self, Py_ssize_t row, str text)
    cdef put_texts(self, Py_ssize_t row, texts)

@cython.final
cdef class Block:
    cdef readonly object table
    cdef readonly list fields, columns
    cdef readonly Py_ssize_t length
    cdef Py_ssize_t _at
    cdef object _batch
    cdef unsigned long long _left_out

    cdef Column _next(self)
    cdef inline bint _passes(self)
    cdef null(self)
    cdef number(self, long long value)
    cdef real(self, double value)
    cdef text(self, str value)
    cdef texts(self, values)
    cdef bint end_row(self) except -1
