# What other compiled modules use of call_reader.py.

cimport cython
from kafkasniff.calls.call cimport Call, Frame
from kafkasniff.protocol.bodies.reader cimport BodyReader
from kafkasniff.protocol.bodies.tables cimport FieldTable
from kafkasniff.protocol.headers cimport RequestHeader
from kafkasniff.protocol.records.crc32c cimport crc32c_of

@cython.final
cdef class ToldPartition:
    cdef readonly str topic
    cdef readonly bint is_id
    cdef readonly long long partition, bytes, records, behind
    cdef long long[::1] measures
    cdef int told
    cdef readonly bint has_records

@cython.final
cdef class CallReader(BodyReader):
    cdef readonly list partitions
    cdef dict _by_place
    cdef ToldPartition _told
    cdef bint _with_partitions
    cdef frozenset _columns
    cdef long long[::1] settings
    cdef readonly int is_set
    cdef readonly str rack
    cdef readonly dict topics, topic_ids, groups
    cdef readonly list codes, batches
    cdef dict _tables, _texts
    cdef int side
    cdef Frame frame
    cdef str topic
    cdef bint is_id
    cdef readonly bint is_whole
    cdef long long partition

    cdef int _forget(self) except -1
    cdef int _forget_partitions(self) except -1
    cdef int _begin_partition(self) except -1
    cpdef bint read_call(self, Call call) except -1
    cdef bint _read(self, Call call) except -1
    cdef bint _read_frame(self, RequestHeader header, Frame frame, int side, Py_ssize_t offset) except -1
