# What other compiled modules use of call_reader.py.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.calls.frame cimport Frame
from kafkasniff.protocol.bodies.known_texts cimport KnownTexts
from kafkasniff.protocol.bodies.reader cimport BodyReader
from kafkasniff.protocol.bodies.tables cimport FieldTable
from kafkasniff.protocol.bodies.walk cimport read_message
from kafkasniff.protocol.headers cimport RequestHeader
from kafkasniff.protocol.records.crc32c cimport sound_batch

@cython.final
cdef class ToldPartition:
    cdef readonly str topic
    cdef readonly bint is_id
    cdef readonly long long partition, bytes, records, behind
    cdef long long[::1] measures
    cdef int told
    cdef readonly bint has_records

    cdef int begin(self, str topic, bint is_id, long long partition) except -1
    cdef bint is_of(self, str topic, long long partition) except -1

@cython.final
cdef class _Layout:
    cdef FieldTable request, response
    cdef Py_ssize_t offset

@cython.final
cdef class CallReader(BodyReader):
    cdef readonly list pool
    cdef readonly Py_ssize_t told
    cdef Py_ssize_t _next_told
    cdef dict _by_place
    cdef ToldPartition _told
    cdef frozenset _apis
    cdef frozenset _columns
    cdef long long[::1] settings
    cdef readonly int is_set
    cdef readonly str rack
    cdef readonly dict topics, topic_ids, groups
    cdef readonly list codes, batches
    cdef dict _layouts, _paths
    cdef KnownTexts _names
    cdef str _last_name
    cdef long long _last_key, _key_type
    cdef _Layout _last_layout
    cdef list _keys
    cdef int side
    cdef Frame frame
    cdef str topic
    cdef bint is_id
    cdef readonly bint is_whole
    cdef long long partition

    cdef int _forget(self) except -1
    cdef str _path_of(self, FieldTable field)
    cdef int _begin_partition(self) except -1
    cdef ToldPartition _known_partition(self)
    cpdef bint read_call(self, Call call) except -1
    @cython.locals(data=bytes)
    cdef bint _read(self, Call call) except -1
    cdef _Layout _layout(self, long long api_key, long long version)
    cdef bint _read_frame(self, FieldTable table, Frame frame, int side, Py_ssize_t offset) except -1
