cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.calls.frame cimport Frame
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.protocol.headers cimport RequestHeader
from kafkasniff.tables.blocks.block cimport Block
from kafkasniff.tables.calls.call_reader cimport CallReader
from kafkasniff.tables.blocks.columns cimport Common
from kafkasniff.tables.calls.part_rows cimport put_batch, put_partition
from kafkasniff.tcp.events cimport Connection

cdef int _SETTINGS, _HEARTBEAT
cdef int _CLIENT, _CLIENT_ID, _SECURITY, _PRINCIPAL, _SOFTWARE
cdef Py_ssize_t _MOST_NUMBERS
cdef Common _NO_API

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
