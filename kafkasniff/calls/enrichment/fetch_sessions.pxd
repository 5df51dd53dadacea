# What other compiled modules use of fetch_sessions.py.

cimport cython
from kafkasniff.calls.enrichment.fetch_topics cimport FetchTopics
from kafkasniff.octets cimport is_at, signed32, unsigned16

cdef int _FIRST_VERSION, _FIRST_FLEXIBLE, _FIRST_WITH_IDS, _LAST_EPOCH, _SESSION_BYTES, _ERROR_AND_SESSION_BYTES
cdef bytes _NO_CHANGES, _NO_CHANGES_COMPACT

@cython.final
cdef class Covered:
    cdef readonly dict partitions
    cdef public bytes line
    cdef public bint line_has_ids
    cdef dict _decoded
    cdef str _topic_field

@cython.final
cdef class SessionStep:
    cdef SessionStep _previous
    cdef int _version
    cdef readonly bytes _data
    cdef Py_ssize_t _offset
    cdef Covered _covered

    @cython.locals(step=SessionStep, covered=Covered)
    cpdef Covered covered(self)
    @cython.locals(place=Py_ssize_t, reader=FetchTopics, empty=bytes)
    cdef Covered _changed(self, Covered covered)

@cython.final
cdef class _Session:
    cdef readonly SessionStep step
    cdef long long epoch
    cdef Py_ssize_t unread, unread_bytes

@cython.final
cdef class FetchSessions:
    cdef Py_ssize_t _most
    cdef readonly dict _sessions

    @cython.locals(
        place=Py_ssize_t, session_id="long long", epoch="long long", error_code=int, given_id="long long",
        session=_Session, step=SessionStep, key=tuple,
    )
    cpdef SessionStep follow(self, str server, int version, bytes request, Py_ssize_t body, bytes response)
    cdef _keep(self, tuple key, _Session session)

cdef Py_ssize_t _session_place(int version, Py_ssize_t offset) except -1
@cython.locals(i=Py_ssize_t, found=list, known=frozenset)
cdef bint _has_all(dict partitions, FetchTopics reader) except -1
@cython.locals(i=Py_ssize_t, merged=dict, before=frozenset)
cdef dict _merged(dict partitions, FetchTopics reader)
