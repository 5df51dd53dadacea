# Declares offsets.py, which is compiled since its sink overrides methods of C.

from kafkasniff.protocol.bodies.tables cimport STRUCT, FieldTable
from kafkasniff.protocol.bodies.values cimport ValueReader

cdef class OffsetReader(ValueReader):
    cdef readonly list traced
