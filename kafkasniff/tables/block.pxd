cimport cython
from kafkasniff.calls.call cimport Call, Frame
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.protocol.headers cimport RequestHeader
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
    @cython.locals(place=object)
    cdef put(self, Py_ssize_t row, text)

@cython.final
cdef class CallBlock:
    cdef readonly Py_ssize_t length
    cdef TextColumn connection, direction, client, server, api_name, client_id, outcome
    cdef TextColumn request_file, response_file, security_protocol, principal, software_name, software_version
    cdef NumberColumn epoch, stream_offset, time, time_ns, api_key, api_version, correlation_id
    cdef NumberColumn request_size_bytes, request_packet, response_size_bytes, response_packet
    cdef TimeColumn total_time_ms, response_delay_ms, pending_ms
    cdef Connection _last
    cdef str _client, _name
    @cython.locals(row=Py_ssize_t, request=Frame, response=Frame, frame=Frame, begin="long long", header=RequestHeader)
    cpdef add(self, Call call)
    @cython.locals(arrival=Arrival)
    cdef _completed(self, Py_ssize_t row, Frame frame, NumberColumn sizes, TextColumn files, NumberColumn packets)
