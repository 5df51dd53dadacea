# Declares bodies.py, which is compiled since a filter on a field of bodies asks it for every call.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.calls.frame cimport Frame
from kafkasniff.protocol.bodies.collecting cimport FieldCollector
from kafkasniff.protocol.bodies.tables cimport FieldTable
from kafkasniff.protocol.headers cimport RequestHeader

cdef extern from *:
    """
    #include <string.h>

    /* Whether some bytes hold others. Python's operator tries first whether they are a number, and makes an exception. */
    static inline int kafkasniff_contains(PyObject *data, PyObject *text) {
        const char *at = PyBytes_AS_STRING(data), *wanted = PyBytes_AS_STRING(text);
        ptrdiff_t left = PyBytes_GET_SIZE(data), size = PyBytes_GET_SIZE(text);
        if (size == 0)
            return 1;
        while (left >= size) {
            const char *found = (const char *)memchr(at, wanted[0], left - size + 1);
            if (found == NULL)
                return 0;
            if (memcmp(found, wanted, size) == 0)
                return 1;
            left -= found + 1 - at;
            at = found + 1;
        }
        return 0;
    }
    """
    bint kafkasniff_contains(bytes data, bytes text)

@cython.final
cdef class Plan:
    cdef public str side
    cdef public bint is_request, is_typed, is_decoded
    cdef public frozenset names
    cdef public tuple branches, ids
    cdef public FieldTable table
    cdef public Py_ssize_t header_version

cdef class FieldsReader:
    cdef object sides, wanted
    cdef dict known

    @cython.locals(header=RequestHeader)
    cpdef list plans(self, Call call)

cdef class EntityReader(FieldsReader):
    cdef str entity

cdef class NotesReader(FieldsReader):
    pass

@cython.final
cdef class ErrorsReader(NotesReader):
    pass

@cython.final
cdef class RecordsReader(NotesReader):
    @cython.locals(plan=Plan, frame=Frame)
    cpdef list count(self, Call call)

cdef FieldCollector _COLLECTOR

@cython.locals(table=FieldTable, header=RequestHeader, frame=Frame, data=bytes, offset=Py_ssize_t)
cpdef bint collected(Call call, Plan plan) except -1

@cython.final
cdef class Needles:
    cdef list texts, with_ids, ids
    cdef object means, fits, reader, plans, names
    cdef long long looked

    @cython.locals(request=Frame, response=Frame, header=RequestHeader, text=bytes, layout=Py_ssize_t)
    cpdef bint may_be_in(self, Call call) except -1
    @cython.locals(frame=Frame)
    cpdef bint has_id(self, Call call) except -1
