cimport cython

cdef int _BLOCK, _MINIBLOCK
cdef unsigned long long _WORD, _HALF
cdef long long _SIGN

@cython.locals(
    filled=int, value="unsigned long long", waiting="unsigned long long", part=int, left=int, one="unsigned long long",
    row=Py_ssize_t,
)
cdef Py_ssize_t _put(
    unsigned char[::1] view, Py_ssize_t used, unsigned long long[::1] values, Py_ssize_t start, Py_ssize_t count, int width
) except -1

cdef int _width(unsigned long long value) noexcept

@cython.locals(source="long long[::1]", numbers="unsigned long long[::1]", row=Py_ssize_t, count=Py_ssize_t, other="long long")
cpdef bit_packed(values, int width)

@cython.locals(
    bits="unsigned char[::1]", found="long long[::1]", wide="long long[::1]", row=Py_ssize_t, count=Py_ssize_t,
    ints="int[::1]", shorts="short[::1]", chars="signed char[::1]",
)
cpdef present(values, valid, Py_ssize_t rows, Py_ssize_t nulls)

@cython.locals(
    found="long long[::1]", deltas="long long[::1]", offsets="unsigned long long[::1]", view="unsigned char[::1]",
    count=Py_ssize_t, at=Py_ssize_t, used=Py_ssize_t, size=Py_ssize_t, row=Py_ssize_t, first=Py_ssize_t, widths=Py_ssize_t,
    least="long long", delta="long long", most="unsigned long long", zig="unsigned long long", mask="unsigned long long",
    offset="unsigned long long", width=int, mini=int,
)
cpdef delta_packed(numbers, bint is_short)

@cython.locals(
    values="int[::1]", bits="unsigned char[::1]", repeated="long long[::1]", defined="long long[::1]",
    row=Py_ssize_t, at=int, element=int, count=Py_ssize_t,
)
cpdef tuple list_levels(ends, valid, Py_ssize_t rows, int depth)
