cpdef int u8(bytes data, Py_ssize_t at, Py_ssize_t end) except -1
cpdef int u16(bytes data, Py_ssize_t at, Py_ssize_t end) except -1
cpdef int u24(bytes data, Py_ssize_t at, Py_ssize_t end) except -1
cpdef long long u32(bytes data, Py_ssize_t at, Py_ssize_t end) except -1
