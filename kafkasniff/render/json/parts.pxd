# What other compiled modules use of parts.py.

from kafkasniff.calls.call cimport Call
from kafkasniff.protocol.bodies.tables cimport FieldTable
from kafkasniff.protocol.headers cimport RequestHeader

cdef class Layout:
    cdef readonly bytes text
    cdef readonly FieldTable request
    cdef readonly FieldTable response
    cdef readonly bint is_flexible
    cdef readonly bint may_be_refused

cdef class Ends:
    cdef readonly str server
    cdef readonly bytes text
    cdef str client_id
    cdef bytes client_id_text

cdef class SharedParts:
    cdef bint shows_secrets
    cdef list layouts
    cdef dict ends
    cdef dict client_ids
    cdef tuple client
    cdef bytes client_text
    cdef dict clients

    cdef Layout layout_of(self, RequestHeader header, bint show_secrets)
    cdef Ends ends_of(self, Call call)
    cdef bytes client_id_text(self, Ends ends, str client_id)
    cdef bytes client_of(self, Call call)
