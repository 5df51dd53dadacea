cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.calls.frame cimport Frame
from kafkasniff.calls.conversations cimport Conversations
from kafkasniff.calls.enrichment.learning cimport Learning
from kafkasniff.protocol.headers cimport RequestHeader
from kafkasniff.tcp.reassembler cimport Reassembler

cdef int _TELLS, _NAMES_IDS, _LOOKED_UP, _KEYS, _VERSIONS

cdef bint _is_in_part(Frame frame) except -1

cdef class Engine:
    cdef readonly Reassembler reassembler
    cdef readonly object tls, counts
    cdef object _budget
    cdef Conversations _conversations
    cdef Learning _learning
    cdef object _next_sweep, _latest
    cdef bytearray _kinds

    cdef list _take_rest(self, list events)
    @cython.locals(
        call=Call, header=RequestHeader, calls="long long", kind=int, key=int, version=int, kinds=bytearray,
        learning=Learning,
    )
    cpdef _note(self, items)
