# Compiled for speed.

cimport cython
from kafkasniff.snapshots.classes cimport ClassFields, state_of

cdef extern from *:
    """
    /* Whether a value has one holder only: as marshal asks (w_ref of CPython's marshal.c). */
    static inline int kafkasniff_is_alone(PyObject *value, int own) {
        return Py_REFCNT(value) <= own;
    }
    """
    bint is_alone "kafkasniff_is_alone"(object value, int own) noexcept

cdef int _SHORT, _OWN, SMALL, MOST_NESTED, MOST_NESTED_AT_ALL
cdef int NONE, FALSE, TRUE, INTEGER, LARGE_INTEGER, FLOAT, TEXT, BYTES, VIEW, UNSET
cdef int TUPLE, NAMED_TUPLE, FROZEN_SET, SUB_TEXT
cdef int LIST, DICT, ORDERED_DICT, COUNTER, SET, DEQUE, BYTE_ARRAY, OBJECT
cdef int CLASS, SHARED, REFERENCE, LATER, CONTENTS, END
cdef long long _LARGEST
cdef Py_ssize_t _TOGETHER

@cython.final
cdef class _Class:
    cdef int number
    cdef ClassFields fields

@cython.final
cdef class _Writer:
    cdef readonly dict classes
    cdef readonly list found
    cdef object _file, _wanted
    cdef bytearray _out
    cdef dict _numbers
    cdef set _unfinished
    cdef list _later
    cdef int _depth

    @cython.locals(out=bytearray)
    cdef void _number(self, unsigned long long number) except *
    cdef void _bytes(self, bytes data) except *
    @cython.locals(out=bytearray, deep=bint)
    cdef void _value(self, value, int own) except *
    cdef bint _is_written(self, value) except -1
    @cython.locals(small="long long")
    cdef void _integer(self, value) except *
    cdef bint _put_off(self, value, kind) except -1
    @cython.locals(out=bytearray, tag=int, found=_Class)
    cdef void _nested(self, value, kind) except *
    @cython.locals(found=_Class)
    cdef void _whole(self, int tag, cls, values) except *
    @cython.locals(found=_Class)
    cdef void _head(self, int tag, value) except *
    cdef void _contents(self, int tag, value) except *
    cdef void _list(self, list values) except *
    cdef void _dict(self, dict items) except *
    @cython.locals(known=_Class, found=ClassFields, state=tuple, names=tuple, places=tuple, index=Py_ssize_t, place=Py_ssize_t)
    cdef void _fields(self, each) except *
    @cython.locals(found=_Class)
    cdef _Class _class(self, cls)
