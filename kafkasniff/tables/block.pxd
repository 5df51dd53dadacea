cimport cython
from kafkasniff.calls.call cimport Call, Frame
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.octets cimport signed32, unsigned16
from kafkasniff.protocol.headers cimport RequestHeader
from kafkasniff.tables.call_reader cimport CallReader, ToldPartition
from kafkasniff.tables.columns cimport Block
from kafkasniff.tcp.events cimport Connection

cdef int _OFFSETS, _CODE, _HIGH, _START, _SETTINGS, _FETCH, _HEARTBEAT
cdef dict _NAMES

cdef long long _signed64(bytes data, Py_ssize_t at) except? -1

@cython.final
cdef class CallTables:
    cdef public Block calls, batches, partitions
    cdef readonly CallReader reader
    cdef object _wanted, _give
    cdef bint _shows_errors, _shows_parts
    cdef frozenset _asked_apis
    cdef dict _names

    cdef Block _block_of(self, str name)
    cpdef hand_on(self, str name, Block block)
    @cython.locals(reader=CallReader, told=ToldPartition, call=Call, header=RequestHeader)
    cpdef object take(self, list items)
    @cython.locals(reader=CallReader, block=Block, request=Frame, response=Frame, index=int)
    cpdef add(self, Call call)
    @cython.locals(request=Frame, frame=Frame, header=RequestHeader, begin="long long", names=tuple, api=str)
    cdef _put_call(self, Block block, Call call)
    @cython.locals(arrival=Arrival)
    cdef _put_last(self, Block block, Frame frame)
    @cython.locals(reader=CallReader)
    cdef _put_read(self, Block block, Call call)
    @cython.locals(frame=Frame, at=Py_ssize_t, data=bytes, base="long long", attributes=int, epoch=int)
    cdef _add_batch(self, Block block, Call call, tuple found)
    @cython.locals(chosen=int, index=int, code="long long", has_high=bint, is_known=bint, behind="long long")
    cdef _add_partition(self, Block block, Call call, ToldPartition told)
