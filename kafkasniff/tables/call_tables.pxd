cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.calls.frame cimport Frame
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.octets cimport signed32, unsigned16, unsigned32
from kafkasniff.protocol.headers cimport RequestHeader
from kafkasniff.tables.block cimport Block
from kafkasniff.tables.call_reader cimport CallReader, ToldPartition
from kafkasniff.tables.columns cimport Common
from kafkasniff.tcp.events cimport Connection

cdef int _OFFSETS, _CODE, _HIGH, _START, _SETTINGS, _FETCH, _HEARTBEAT
cdef int _HEADER
cdef int _CLIENT, _CLIENT_ID, _SECURITY, _PRINCIPAL, _SOFTWARE
cdef Py_ssize_t _MOST_NUMBERS
cdef long long _TWO_32
cdef Common _NO_API

cdef long long _signed64(bytes data, Py_ssize_t at) except? -1

@cython.final
cdef class CallTables:
    cdef public Block calls, batches, partitions
    cdef readonly CallReader reader
    cdef object _wanted, _give
    cdef bint _shows_errors, _shows_parts, _decompresses
    cdef frozenset _asked_apis
    cdef dict _connections, _common, _apis
    cdef Common _connection, _api
    cdef object _interface
    cdef str _file
    cdef public str vantage
    cdef readonly bint added
    cdef public bint leaves_doubtful

    cdef Block _block_of(self, str name)
    cpdef hand_on(self, str name, Block block)
    @cython.locals(reader=CallReader, call=Call, header=RequestHeader, index=Py_ssize_t)
    cpdef object take(self, list items)
    cpdef add(self, Call call)
    @cython.locals(ids=dict)
    cdef bint _is_doubtful(self, Call call) except -1
    @cython.locals(reader=CallReader, block=Block, request=Frame, response=Frame, index=int)
    cdef _add_read(self, Call call)
    @cython.locals(header=RequestHeader, client_id=str, found=Common, known=tuple, key=int, api=Common)
    cdef _know(self, Call call)
    @cython.locals(client=str, values=tuple, found=Common)
    cdef Common _new_connection(self, Call call, str client_id)
    @cython.locals(frame=Frame, direction=str)
    cdef _begin_row(self, Block block, Call call)
    @cython.locals(arrival=Arrival)
    cdef _put_last(self, Block block, Frame frame)
    @cython.locals(reader=CallReader)
    cdef _put_read(self, Block block, Call call)
    @cython.locals(frame=Frame, at=Py_ssize_t, data=bytes, base="long long", size="long long", content="long long", attributes=int, epoch=int)
    cdef _add_batch(self, Block block, Call call, tuple found)
    @cython.locals(chosen=int, index=int, code="long long", has_high=bint, is_known=bint, behind="long long")
    cdef _add_partition(self, Block block, Call call, ToldPartition told)
