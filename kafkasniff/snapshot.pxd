# Compiled for speed.

cimport cython

@cython.final
cdef class _Writer:
    cdef readonly dict numbers_of_classes
    cdef dict _numbers
    cdef list _objects, _new_classes
    cdef object _told

    cdef list _reference(self, each)
    @cython.locals(record=list, values=list)
    cdef list _container(self, int kind, each)
    @cython.locals(record=list, state=tuple, place=Py_ssize_t)
    cdef list _object(self, each)
    cdef int _number_of(self, cls) except -1
    cdef object _value(self, value)

@cython.final
cdef class _Reader:
    cdef list _classes, _records, _objects, _items
    cdef set _whole

    cdef object _empty(self, list record)
    @cython.locals(record=list, kind=int, values=dict)
    cdef object _fill(self, Py_ssize_t number)
    @cython.locals(kind=int, number=Py_ssize_t, record=list)
    cdef object _value(self, value)

cdef tuple _state(each)
