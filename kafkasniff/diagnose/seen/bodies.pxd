# Declares bodies.py, which is compiled since its sink overrides methods of C.

cimport cython
from kafkasniff.calls.frame cimport Frame
from kafkasniff.diagnose.facts.facts cimport Facts
from kafkasniff.diagnose.seen.produced cimport batches_in
from kafkasniff.diagnose.seen.seen_call cimport CommittedPartition, SeenCall
from kafkasniff.diagnose.seen.produced cimport Produced
from kafkasniff.protocol.bodies.known_texts cimport KnownTexts
from kafkasniff.protocol.bodies.reader cimport BodyReader
from kafkasniff.protocol.bodies.scanning cimport Scanner
from kafkasniff.protocol.bodies.tables cimport FieldTable
from kafkasniff.protocol.bodies.walk cimport read_message
from kafkasniff.protocol.headers cimport RequestHeader

@cython.final
cdef class BodiesReader(BodyReader):
    cdef public Facts facts
    cdef KnownTexts _texts
    cdef SeenCall _seen
    cdef str _topic, _name
    cdef long long _partition, _high

    cdef int read(self, SeenCall seen, FieldTable request, FieldTable response) except -1
    cdef bint _read_response(self, FieldTable table, Frame frame, Py_ssize_t offset) except -1
    cdef bint _read_frame(self, FieldTable table, Frame frame, Py_ssize_t offset, Py_ssize_t left_behind) except -1
    cdef int _take_topic(self, str topic, str name) except -1
