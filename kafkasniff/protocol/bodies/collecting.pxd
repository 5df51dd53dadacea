# Declares collecting.py, which is compiled since its sink overrides methods of C.

from kafkasniff.protocol.bodies.tables cimport FieldTable
from kafkasniff.protocol.bodies.values cimport ValueTaker
from kafkasniff.protocol.bodies.walk cimport read_message

cdef class FieldCollector(ValueTaker):
    cdef readonly list values
    cdef readonly list ids
    cdef readonly list codes, batches

    cpdef bint collect(self, FieldTable table, bytes data, Py_ssize_t offset) except -1
    cpdef bint clear(self) except -1
