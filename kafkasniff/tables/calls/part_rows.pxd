cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.calls.frame cimport Frame
from kafkasniff.octets cimport signed32, unsigned16, unsigned32
from kafkasniff.tables.blocks.block cimport Block
from kafkasniff.tables.calls.call_reader cimport ToldPartition

cdef int _OFFSETS, _CODE, _HIGH, _START, _FETCH, _HEADER, _COMPRESSION, _LOG_APPEND_TIME, _TRANSACTIONAL, _CONTROL
cdef long long _TWO_32

cdef long long _signed64(bytes data, Py_ssize_t at) except? -1
@cython.locals(frame=Frame, at=Py_ssize_t, data=bytes, base="long long", size="long long", content="long long", attributes=int, epoch=int)
cdef put_batch(Block block, Call call, tuple found, bint decompresses)
@cython.locals(chosen=int, index=int, code="long long", has_high=bint, is_known=bint, behind="long long")
cdef put_partition(Block block, Call call, ToldPartition told)
