cimport cython

cdef Py_ssize_t _FULL, _CALL_COLUMNS
cdef int BITS, BYTES, SHORTS, INTS, LONGS, DOUBLES, TEXTS, LISTS

@cython.final
cdef class Column:
    cdef readonly object values, valid
    cdef readonly int kind
    cdef readonly bint is_wanted
    cdef readonly Py_ssize_t nulls
    cdef Py_ssize_t filled
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

    cdef inline int _fill(self, Py_ssize_t row) except -1
    @cython.locals(row=Py_ssize_t)
    cdef finish(self, Py_ssize_t rows)
    cdef put_number(self, Py_ssize_t row, long long value)
    cdef put_double(self, Py_ssize_t row, double value)
    cdef put_text(self, Py_ssize_t row, str text)
    @cython.locals(raw=bytes)
    cdef put_texts(self, Py_ssize_t row, texts)
    cdef int _place(self, str text) except -1
    @cython.locals(view="int[::1]", numbers="long long[::1]", row=Py_ssize_t, at=Py_ssize_t)
    cdef put_common(self, Py_ssize_t rows, places, list values)

@cython.locals(view="int[::1]", end=int, row=Py_ssize_t)
cdef object _as_binary(list elements)

@cython.final
cdef class Common:
    cdef readonly int number
    cdef readonly tuple values

@cython.final
cdef class CommonColumns:
    cdef list _columns, _used
    cdef object _places_of_rows
    cdef int[::1] _places, _numbers

    @cython.locals(place=int)
    cdef put(self, Py_ssize_t row, Common common)
    @cython.locals(column=Column)
    cdef finish(self, Py_ssize_t rows)

@cython.final
cdef class Block:
    cdef readonly object table
    cdef readonly list fields, columns
    cdef readonly Py_ssize_t length
    cdef Py_ssize_t _at
    cdef object _batch
    cdef bint _is_finished
    cdef unsigned long long _left_out
    cdef CommonColumns _of_connection, _of_api
    cdef Column _direction, _offset, _time, _time_ns

    @cython.locals(row=Py_ssize_t)
    cdef begin_row(self, Common connection, Common api, str direction, long long stream_offset, long long time_ns)
    cdef skip(self, int columns)
    @cython.locals(at=Py_ssize_t)
    cdef inline Column _next(self)
    @cython.locals(column=Column)
    cdef number(self, long long value)
    @cython.locals(column=Column)
    cdef real(self, double value)
    @cython.locals(column=Column)
    cdef text(self, str value)
    @cython.locals(column=Column)
    cdef texts(self, values)
    cdef bint end_row(self) except -1
    @cython.locals(column=Column)
    cpdef finish(self)
