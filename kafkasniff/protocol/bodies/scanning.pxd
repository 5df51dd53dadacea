# What other compiled modules use of scanning.py.

cimport cython
from kafkasniff.protocol.bodies.tables cimport FieldTable
from kafkasniff.protocol.bodies.values cimport ValueReader, borrow_reader, give_back

cdef Py_ssize_t _LONGEST_KNOWN, _MOST_KNOWN, _MOST_BYTES

@cython.final
cdef class ScannedBody:
    cdef readonly object names
    cdef readonly dict value
    cdef readonly list errors, records
    cdef readonly Py_ssize_t longest
    cdef public object derived

@cython.locals(scan=ScannedBody)
cdef ScannedBody _scanned(names, ValueReader reader)

@cython.final
cdef class Scanner:
    cdef readonly object names
    cdef readonly Py_ssize_t begins
    cdef int _version
    cdef bint _may_be_other_version, _remembers
    cdef Py_ssize_t _hits, _misses, _bytes
    cdef FieldTable _table
    cdef dict _known

    @cython.locals(body=bytes, scan=ScannedBody)
    cpdef ScannedBody scan(self, bytes data, Py_ssize_t offset)
    @cython.locals(reader=ValueReader, end=Py_ssize_t)
    cdef ScannedBody _scan(self, bytes data, Py_ssize_t offset)
