# What other compiled modules use of seen.py.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.diagnose.facts cimport ConnectionHistory
from kafkasniff.calls.frame cimport Frame
from kafkasniff.protocol.bodies.scanning cimport ScannedBody, Scanner
from kafkasniff.protocol.headers cimport RequestHeader

@cython.final
cdef class Produced:
    cdef public dict topic
    cdef public object name
    cdef public long long partition, records
    cdef public bint plain
    cdef public long long producer_id, producer_epoch, base_sequence
    cdef public Py_ssize_t start, end

@cython.final
cdef class SeenCall:
    cdef readonly Call call
    cdef readonly int key
    cdef readonly object client
    cdef readonly ConnectionHistory history
    cdef readonly long long sent, ended
    cdef readonly dict request, response
    cdef readonly list records, told_records
    cdef public list produced
    cdef readonly bint failed

    @cython.locals(scan=ScannedBody, value=dict, frame=Frame, header=RequestHeader)
    cdef _read_request(self, Call call, Scanner scanner)
    @cython.locals(scan=ScannedBody, value=dict, frame=Frame)
    cdef _read_response(self, Call call, Scanner scanner)
