# Compiled for speed.

cimport cython
from kafkasniff.snapshots.classes cimport ClassFields

cdef Py_ssize_t _TOGETHER, _LONGEST_NUMBER
cdef int SMALL, MOST_NESTED_AT_ALL
cdef int NONE, FALSE, TRUE, INTEGER, LARGE_INTEGER, FLOAT, TEXT, BYTES, VIEW, UNSET
cdef int TUPLE, NAMED_TUPLE, FROZEN_SET, SUB_TEXT
cdef int LIST, DICT, ORDERED_DICT, COUNTER, SET, DEQUE, BYTE_ARRAY, OBJECT
cdef int CLASS, SHARED, REFERENCE, LATER, CONTENTS, END

@cython.final
cdef class _Reader:
    cdef object _file
    cdef bytes _data
    cdef Py_ssize_t _at
    cdef list _classes, _shared, _later, _rebuilt
    cdef dict _fields_of
    cdef int _depth

    @cython.locals(left=Py_ssize_t)
    cdef Py_ssize_t _have(self, Py_ssize_t count) except -1
    cdef int _tag(self) except -1
    @cython.locals(data=bytes, at=Py_ssize_t, number=Py_ssize_t, byte=Py_ssize_t, shift=int)
    cdef Py_ssize_t _number(self) except -1
    @cython.locals(length=Py_ssize_t, start=Py_ssize_t)
    cdef bytes _bytes(self)
    cdef str _text(self)
    cdef ClassFields _class(self)
    @cython.locals(tag=int, number=Py_ssize_t)
    cdef object _value(self)
    cdef object _nested(self, int tag)
    @cython.locals(tag=int)
    cdef object _numbered(self, int kind)
    cdef object _define(self)
    @cython.locals(found=list)
    cdef list _values(self, Py_ssize_t count)
    @cython.locals(found=ClassFields)
    cdef object _empty(self, int tag)
    @cython.locals(count=Py_ssize_t)
    cdef object _fill(self, int tag, each)
    @cython.locals(count=Py_ssize_t)
    cdef object _items(self, each)
    @cython.locals(found=ClassFields, state=list, names=tuple, places=tuple, index=Py_ssize_t, place=Py_ssize_t)
    cdef object _fields(self, each)
