# What other compiled modules use of classes.py.

cdef class ClassFields:
    cdef public object cls
    cdef public tuple names, compiled, rebuilt, places
    cdef public list new
    cdef public bint frozen, holds_items, rebuilds

cpdef tuple state_of(each)
