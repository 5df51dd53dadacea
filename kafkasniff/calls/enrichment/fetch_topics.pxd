# What other compiled modules use of fetch_topics.py.

from kafkasniff.protocol.bodies.reader cimport BodyReader
from kafkasniff.protocol.bodies.tables cimport FieldTable
from kafkasniff.protocol.bodies.walk cimport read_message

cdef class FetchTopics(BodyReader):
    cdef readonly list topics
    cdef readonly list partitions
    cdef readonly Py_ssize_t named
    cdef list into

    cdef bint read(self, int version, bytes data, Py_ssize_t offset) except -1
    cdef int begin_topic(self, str name) except -1
