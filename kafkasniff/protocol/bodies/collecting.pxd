# Declares collecting.py, which is compiled since its sink overrides methods of C.

from kafkasniff.protocol.bodies.tables cimport FieldTable
from kafkasniff.protocol.bodies.values cimport ValueReader

cdef class FieldCollector(ValueReader):
    cdef readonly list values
    cdef readonly list ids
