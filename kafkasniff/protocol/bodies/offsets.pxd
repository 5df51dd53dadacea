# Declares offsets.py, which is compiled since its sink overrides methods of C.

from kafkasniff.protocol.bodies.tables cimport STRUCT, FieldTable
from kafkasniff.protocol.bodies.values cimport ValueTaker

cdef class OffsetReader(ValueTaker):
    cdef readonly list traced
