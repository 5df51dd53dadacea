# Declares collecting.py, which is compiled since its sink overrides methods of C.

from kafkasniff.protocol.bodies.tables cimport FieldTable
from kafkasniff.protocol.bodies.values cimport ValueTaker

cdef class FieldCollector(ValueTaker):
    cdef readonly list values
    cdef readonly list ids
