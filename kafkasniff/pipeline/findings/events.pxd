# Compiled for speed.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.calls.frame cimport Frame
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.diagnose.facts.history cimport is_sample
from kafkasniff.protocol.headers cimport RequestHeader
from kafkasniff.tcp.events cimport Connection

@cython.final
cdef class _PackedConnection:
    cdef readonly long long number, client
    cdef readonly bint named
    cdef readonly object client_id
    cdef readonly set apis
    cdef readonly dict sampled

    cdef bint names(self, client_id) except -1

@cython.final
cdef class EventPacker:
    cdef str _vantage
    cdef int _bucket
    cdef long long _serial
    cdef tuple _latest
    cdef dict _connections
    cdef object _samples
    cdef public long long end
    cdef readonly dict loads

    @cython.locals(
        arrival=Arrival, connection=Connection, packed_connection=_PackedConnection, call=Call, api=int, number="long long",
        across=bint, slot=int
    )
    cpdef tuple row(self, item, bint at_end)
    @cython.locals(header=RequestHeader, request=Frame, answered=bint, named=bint, due=bint, key=int)
    cdef bint _plain(self, Call call, _PackedConnection packed_connection) except -1
    cdef tuple _at(self, Arrival arrival)
    @cython.locals(fin=Arrival)
    cdef tuple _state(self, Connection connection)
    @cython.locals(header=RequestHeader, response=Frame)
    cdef tuple _call(self, Call call)
    @cython.locals(header=RequestHeader)
    cdef tuple _frame(self, Call call, Frame frame, str side)
    @cython.locals(kept=list, position=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t, sampled=Py_ssize_t)
    cdef tuple _kept(self, bytes data, dict body, records, producer)
    cdef Py_ssize_t _sampled(self, bytes data, field, dict body, producer) except -1

@cython.locals(call=Call)
cpdef Arrival arrival_of(item)
@cython.locals(body=Py_ssize_t)
cdef bint _in_transaction(RequestHeader header, bytes data) except -1
