cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.calls.frame cimport Frame
from kafkasniff.calls.enrichment.fetch_sessions cimport FetchSessions
from kafkasniff.protocol.headers cimport RequestHeader

cdef int _FIRST_METADATA_LOG_VERSION, _SMALLEST_LOG_ANSWER

@cython.final
cdef class Learning:
    cdef readonly object names
    cdef FetchSessions _sessions
    cdef object _dated_from, _dated, _dated_names
    cdef dict _groups

    @cython.locals(header=RequestHeader, key=int)
    cpdef take(self, Call call)
    cpdef date(self, Call call)
    @cython.locals(header=RequestHeader)
    cdef _take_topics(self, Call call)
    @cython.locals(header=RequestHeader, request=Frame, response=Frame, answer=bytes)
    cdef _take_fetch(self, Call call)
    @cython.locals(header=RequestHeader, response=Frame)
    cdef _take_log(self, Call call)
    cdef _take_join_group(self, Call call)
    cdef _take_sync_group(self, Call call)
