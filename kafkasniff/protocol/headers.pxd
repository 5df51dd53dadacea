cimport cython
from kafkasniff.octets cimport part, unsigned16, unsigned32

@cython.final
@cython.no_gc
@cython.freelist(256)
cdef class RequestHeader:
    cdef readonly int api_key, api_version
    cdef readonly long long correlation_id
    cdef readonly str client_id
    cdef readonly int header_version
    cdef readonly Py_ssize_t end

@cython.locals(
    size=Py_ssize_t, api_key=int, api_version=int, correlation_id="long long",
    layout="long long", header_version=int, end=Py_ssize_t, length=Py_ssize_t, text=bytes, client_id=str,
    header=RequestHeader,
)
cpdef RequestHeader read_request_header(bytes data, Py_ssize_t offset=*)
