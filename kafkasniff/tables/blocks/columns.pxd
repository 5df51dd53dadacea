cimport cython

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

    @cython.locals(index=Py_ssize_t)
    cdef int take_numbers(self, Py_ssize_t row, Py_ssize_t count, long long[::1] numbers, Py_ssize_t at, Py_ssize_t step) except -1
    @cython.locals(index=Py_ssize_t)
    cdef int take_reals(self, Py_ssize_t row, Py_ssize_t count, double[::1] reals, Py_ssize_t at, Py_ssize_t step) except -1
    cdef int fill(self, Py_ssize_t row) except -1
    @cython.locals(at=Py_ssize_t)
    cdef int fill_all(self, Py_ssize_t row, Py_ssize_t count) except -1
    cdef int place_of(self, str text) except -1
    @cython.locals(row=Py_ssize_t)
    cdef finish(self, Py_ssize_t rows)
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
    @cython.locals(count="long long[::1]", first="long long[::1]", last="long long[::1]", row=Py_ssize_t, place=int)
    cdef list tally(self, Py_ssize_t rows, long long[::1] times)
    @cython.locals(column=Column)
    cdef finish(self, Py_ssize_t rows)
