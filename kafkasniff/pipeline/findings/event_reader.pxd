# Compiled for speed.

cimport cython
from kafkasniff.calls.call cimport Call, new_call
from kafkasniff.calls.frame cimport Frame
from kafkasniff.capture.packets cimport Arrival, new_arrival
from kafkasniff.protocol.headers cimport RequestHeader
from kafkasniff.tcp.events cimport Connection, DirectionCounters

cdef Connection _SOME_CONNECTION

@cython.final
cdef class EventReader:
    cdef public object interfaces, ahead
    cdef dict _connections
    cdef long long _ahead

    @cython.locals(connection=Connection)
    cpdef item(self, vantage, bucket, bytes data)
    cpdef call_alone(self, bytes data)
    cpdef take_over(self, EventReader other)
    @cython.locals(time="long long", packet="long long")
    cdef Arrival _at(self, tuple packed)
    cdef Connection _update(self, Connection connection, tuple state)
    @cython.locals(call=Call, answer=Frame)
    cdef Call _call(self, Connection connection, tuple packed)
    @cython.locals(arrived=Arrival, came=Arrival)
    cdef Frame _frame(self, tuple packed)

cdef tuple _unpacked(bytes data)
@cython.locals(found=DirectionCounters)
cdef DirectionCounters _counters(tuple values)
@cython.locals(end=Py_ssize_t, start=Py_ssize_t, whole=Py_ssize_t, rest=Py_ssize_t, parts=list)
cdef bytes _filled(Py_ssize_t length, tuple kept)
