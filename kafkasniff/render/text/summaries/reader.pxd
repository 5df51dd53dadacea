# What other compiled modules use of reader.py.

from kafkasniff.protocol.bodies.reader cimport kafkasniff_is_ascii
from kafkasniff.protocol.bodies.tables cimport FieldTable
from kafkasniff.protocol.bodies.walk cimport read_message
from kafkasniff.protocol.records.crc32c cimport sound_batch
from kafkasniff.render.text.summaries.lists cimport SummaryLists

cdef class SummaryReader(SummaryLists):
    cdef bint is_request
    cdef long long[::1] values
    cdef long long[::1] sizes
    cdef readonly list codes
    cdef unsigned int found
    cdef bint is_awaited
    cdef Py_ssize_t kept_at
    cdef Py_ssize_t kept_size
    cdef long long kept_number
    cdef long long record_bytes
    cdef long long record_count
    cdef int codecs
    cdef Py_ssize_t batches
    cdef bint is_uncounted
    cdef Py_ssize_t written_topics
    cdef Py_ssize_t written_partitions
    cdef Py_ssize_t written
    cdef long long written_offset

    cdef int read_summary(self, FieldTable table, bytes data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int reset(self) except -1
    cdef int keep(self, int role, long long value, long long size) except -1
    cdef int take_part(self, int role, Py_ssize_t at, Py_ssize_t length) except -1
    cdef int take_count(self, int role, long long value) except -1
    cdef int name_leaving(self, Py_ssize_t at, Py_ssize_t size) except -1
    cdef int count_batches(self, Py_ssize_t at, Py_ssize_t end) except -1
    cdef bint is_there(self, int role) except -1
    cdef long long value(self, int role) except *
    cdef Py_ssize_t size_of(self, int role) except? -9
