cimport cython
from kafkasniff.calls.call cimport Call, Frame
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.protocol.headers cimport RequestHeader
from kafkasniff.tables.call_reader cimport CallReader
from kafkasniff.tcp.events cimport Connection

@cython.final
cdef class NumberColumn:
    cdef readonly object values, valid
    cdef long long[::1] _values
    cdef unsigned char[::1] _valid
    cdef readonly Py_ssize_t nulls
    cdef put(self, Py_ssize_t row, long long value)
    cdef put_null(self, Py_ssize_t row)

@cython.final
cdef class TimeColumn:
    cdef readonly object values, valid
    cdef double[::1] _values
    cdef unsigned char[::1] _valid
    cdef readonly Py_ssize_t nulls
    cdef put(self, Py_ssize_t row, double value)
    cdef put_null(self, Py_ssize_t row)

@cython.final
cdef class TextColumn:
    cdef readonly object values, valid
    cdef int[::1] _values
    cdef unsigned char[::1] _valid
    cdef readonly Py_ssize_t nulls
    cdef dict _places
    cdef str _last
    cdef int _last_place
    @cython.locals(place=int, found=object)
    cdef put(self, Py_ssize_t row, text)

@cython.final
cdef class ListColumn:
    cdef readonly object values
    cdef readonly list elements
    cdef int[::1] _ends
    cdef readonly Py_ssize_t nulls
    cdef dict _encoded
    cdef put(self, Py_ssize_t row, texts)
    cdef put_none(self, Py_ssize_t row)

cdef class CallColumns:
    cdef readonly Py_ssize_t length
    cdef readonly TextColumn vantage, connection, direction, client, client_host, server, api_name, client_id
    cdef readonly NumberColumn epoch, stream_offset, time, time_ns, api_key, api_version
    cdef Connection _last
    cdef object _batch
    cdef str _client, _host, _name, _file, _vantage
    @cython.locals(request=Frame, frame=Frame, begin="long long", header=RequestHeader)
    cdef put_call(self, Py_ssize_t row, Call call)

@cython.final
cdef class CallBlock(CallColumns):
    cdef readonly CallReader reader
    cdef readonly TextColumn outcome, request_file, response_file
    cdef readonly TextColumn security_protocol, principal, software_name, software_version
    cdef readonly NumberColumn correlation_id, response_api_version
    cdef readonly NumberColumn request_size_bytes, request_packet, response_size_bytes, response_packet
    cdef readonly TimeColumn total_time_ms, response_delay_ms, pending_ms
    cdef readonly ListColumn topics, groups, error_names, problems
    @cython.locals(row=Py_ssize_t, request=Frame, response=Frame)
    cpdef bint add(self, Call call) except -1
    @cython.locals(reader=CallReader, is_read=bint)
    cpdef object add_from(self, list items, bint calls_alone)
    @cython.locals(reader=CallReader)
    cdef bint _put_told(self, Py_ssize_t row, Call call) except -1
    @cython.locals(arrival=Arrival)
    cdef _completed(self, Py_ssize_t row, Frame frame, NumberColumn sizes, TextColumn files, NumberColumn packets)

@cython.final
cdef class BatchBlock(CallColumns):
    cdef readonly TextColumn where, path, topic, compression, timestamp_type
    cdef readonly NumberColumn partition, magic, base_offset, last_offset, partition_leader_epoch
    cdef readonly NumberColumn base_timestamp, max_timestamp, producer_id, producer_epoch, base_sequence
    cdef readonly NumberColumn is_transactional, is_control, record_count, size_in_bytes, crc_valid
    @cython.locals(row=Py_ssize_t, frame=Frame)
    cpdef add(self, Call call, tuple found)
