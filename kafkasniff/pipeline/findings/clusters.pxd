# Compiled for speed.

from kafkasniff.calls.call cimport Call
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.pipeline.findings.clocks cimport Shared
from kafkasniff.pipeline.findings.events cimport arrival_of
from kafkasniff.tcp.events cimport Connection
cimport cython

@cython.final
cdef class ClusterNames:
    cdef public set names
    cdef readonly set _servers
    cdef readonly Shared shared

    @cython.locals(call=Call)
    cpdef take(self, item)
    cdef _take_server(self, str server, str prefix=*)

@cython.final
cdef class Copies:
    cdef object _owners

    @cython.locals(connection=Connection, time="long long")
    cpdef bint takes(self, vantage, item) except -1
