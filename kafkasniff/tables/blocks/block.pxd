cimport cython
from kafkasniff.tables.blocks.columns cimport DOUBLES, Column, Common, CommonColumns

cdef Py_ssize_t _FULL, _CALL_COLUMNS, _DIRECTION, _TOGETHER
cdef unsigned long long _ONE

@cython.final
cdef class Block:
    cdef readonly object table
    cdef readonly list fields, columns
    cdef readonly Py_ssize_t length
    cdef Py_ssize_t _at, _width, _held, _start
    cdef object _batch, _filled_of_rows
    cdef bint _is_finished
    cdef unsigned long long _left_out, _filled
    cdef CommonColumns _of_connection, _of_api
    cdef long long[::1] _numbers
    cdef double[::1] _reals
    cdef unsigned long long[::1] _filled_of_row

    @cython.locals(row=Py_ssize_t)
    cdef int begin_row(self, Common connection, Common api, str direction, long long stream_offset, long long time_ns) except -1
    cdef int skip(self, int columns) except -1
    cdef int number(self, long long value) except -1
    cdef int real(self, double value) except -1
    @cython.locals(column=Column)
    cdef int text(self, str value) except -1
    @cython.locals(column=Column, at=Py_ssize_t)
    cdef int texts(self, values) except -1
    cdef bint end_row(self) except -1
    @cython.locals(column=Column, in_all="unsigned long long", in_any="unsigned long long", held=Py_ssize_t, row=Py_ssize_t, at=Py_ssize_t)
    cdef int _hand_over(self) except -1
    @cython.locals(column=Column)
    cpdef finish(self)
    @cython.locals(column=Column)
    cpdef list tally(self)
