cdef class RecordReader:
    cdef bytes content
    cdef const unsigned char* view
    cdef Py_ssize_t end
    cdef readonly Py_ssize_t p
    cdef long long most
    cdef str text
    cdef list texts

    cdef dict record(self, object base_offset, object base_timestamp)
    cdef tuple headers(self)
    cdef str string(self)
    cdef str take(self, long long size)
    cdef long long varint(self, int bits) except? -1
