# What other compiled modules use of seen.py.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.diagnose.facts.history cimport ConnectionHistory
from kafkasniff.protocol.bodies.scanning cimport ScannedBody, Scanner

cdef long long _ABSENT
cdef int _FAILED, _UNANSWERED, _ACKS_ZERO, _ACKS_ONE, _TRANSACTIONAL, _WITH_RACK, _WITH_RECORDS, _BEHIND
cdef dict _NOTHING
cdef list _NO_RECORDS, _NO_NAMES, _NO_COMMITTED, _NO_BATCHES

@cython.final
cdef class CommittedPartition:
    cdef public str topic
    cdef public Py_ssize_t topic_index
    cdef public long long partition

@cython.final
cdef class SeenCall:
    cdef readonly Call call
    cdef readonly int key
    cdef readonly object client
    cdef readonly ConnectionHistory history
    cdef readonly long long sent, ended
    cdef Scanner request_scanner, response_scanner
    cdef dict _request, _response
    cdef list _told_records
    cdef public bint failed, is_behind
    cdef public str group, member, transactional_id, rack
    cdef public long long acks, max_wait_ms, session_epoch, throttle_ms, told_bytes
    cdef public list topics, names, committed, produced

    cdef begin(
        self, Call call, int key, ConnectionHistory history, Scanner request_scanner, Scanner response_scanner
    )
    @cython.locals(found=int)
    cdef int traits(self) except -1
    cdef forget_request(self)
    cdef forget_response(self)
    @cython.locals(scan=ScannedBody)
    cdef _read_request(self)
    @cython.locals(scan=ScannedBody)
    cdef _read_response(self)
    cdef read_whole_response(self)

@cython.locals(seen=SeenCall)
cpdef SeenCall seen_call(Call call, int key, ConnectionHistory history, Scanner request_scanner, Scanner response_scanner)
