cimport cython
from kafkasniff.octets cimport big32, is_at, part

@cython.final
cdef class RequestHeader:
    cdef readonly int api_key, api_version
    cdef readonly long long correlation_id
    cdef readonly str client_id
    cdef readonly int header_version
    cdef readonly Py_ssize_t end

cdef long long _LARGEST_INT32, _TWO_32
cdef int _LARGEST_INT16, _FIXED_BYTES, _TABLE_KEYS, _TABLE_VERSIONS, _KNOWN, _SLOTS, _LONGEST_KNOWN
cdef bytearray _LAYOUTS
cdef list _ID_BYTES, _ID_TEXTS

cpdef bint is_known(int api_key, int api_version) except -1
@cython.locals(found=int)
cdef int _layout(int api_key, int api_version) except -1
@cython.locals(view="const unsigned char*", slot="long long", known=bytes, text=bytes, client_id=str)
cdef str _client_id(bytes data, Py_ssize_t start, Py_ssize_t length)

@cython.locals(
    view="const unsigned char*", versioned="long long", size=Py_ssize_t, api_key=int, api_version=int, correlation_id="long long",
    header_version=int, end=Py_ssize_t, length=Py_ssize_t, client_id=str,
    header=RequestHeader,
)
cpdef RequestHeader read_request_header(bytes data, Py_ssize_t offset=*)
