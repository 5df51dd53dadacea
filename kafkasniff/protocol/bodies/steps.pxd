# What other compiled modules use of steps.py.

cimport cython
from kafkasniff.protocol.bodies.tables cimport FLOAT64, INT8, INT64, RECORDS, STRING, STRUCT

cdef enum:
    RUN, MARK, NUMBER, FIXED, TEXT, INTEGERS, ARRAY, NEXT, NULLABLE, BEGIN, END, TAGS

cdef enum:
    OP, SIZE, AFTER, FIELD, DEPTH, FORM, WIDTH

cdef enum:
    WANTED = 1
    TOLD = 2
    ELEMENT = 4
    ERROR = 8
    SIGNED = 16
    COMPACT = 32
    CAN_BE_NULL = 64
    IS_STRING = 128
    IS_RECORDS = 256
    TAGGED = 512

@cython.final
cdef class Steps:
    cdef int[::1] code
    cdef readonly tuple fields
    cdef list rows, found
    cdef readonly Py_ssize_t end
