cimport cython

cdef int _BLOCK, _PART, _WIDEST, _LONGEST

@cython.locals(view="int[::1]", row=Py_ssize_t)
cdef Py_ssize_t _levels(ends, Py_ssize_t rows) except -1
cdef _check(valid, Py_ssize_t rows)
cdef Py_ssize_t _put_varint(unsigned char[::1] out, Py_ssize_t to, unsigned long long value) except -1
cdef Py_ssize_t _put_signed(unsigned char[::1] out, Py_ssize_t to, long long value) except -1

@cython.final
cdef class Numbers:
    cdef readonly Py_ssize_t count
    cdef readonly long long least, most
    cdef long long[::1] _values
    cdef bytearray _room

    cdef _make_room(self, Py_ssize_t count)
    @cython.locals(out="long long[::1]", has_nulls=bint, bits="const unsigned char[::1]", at=Py_ssize_t, row=Py_ssize_t, flags="unsigned char[::1]", bytes_="signed char[::1]", shorts="short[::1]", ints="int[::1]", longs="long long[::1]")
    cpdef take(self, str kind, values, valid, Py_ssize_t rows)
    @cython.locals(view="int[::1]", out="long long[::1]", at=Py_ssize_t, row=Py_ssize_t, element=Py_ssize_t)
    cpdef take_repetitions(self, ends, Py_ssize_t rows)
    @cython.locals(view="int[::1]", out="long long[::1]", has_nulls=bint, has_inner=bint, bits="const unsigned char[::1]", inside="const unsigned char[::1]", is_there=bint, at=Py_ssize_t, row=Py_ssize_t, element=Py_ssize_t)
    cpdef take_definitions(self, ends, valid, Py_ssize_t rows, inner, long long most)
    @cython.locals(view="long long[::1]", value="long long", least="long long", most="long long", at=Py_ssize_t)
    cdef _end(self, Py_ssize_t count)
    cpdef bytearray packed(self, int width)
    @cython.locals(out="unsigned char[::1]", view="long long[::1]", bits="unsigned long long", held=int, at=Py_ssize_t)
    cdef _pack(self, bytearray data, Py_ssize_t to, Py_ssize_t first, Py_ssize_t behind, long long least, int width)
    cpdef bytes runs(self, int width)
    @cython.locals(count=Py_ssize_t, room=Py_ssize_t, out="unsigned char[::1]", view="long long[::1]", at=Py_ssize_t, to=Py_ssize_t, first=Py_ssize_t, behind=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t, widths=Py_ssize_t, parts=int, part=int, blocks=Py_ssize_t, head=bytes, value="long long", least="long long", most="long long", width=int)
    cpdef bytes differences(self)

@cython.locals(view="double[::1]", bits="unsigned char[::1]", to="double[::1]", at=Py_ssize_t, row=Py_ssize_t)
cpdef bytes present(values, valid, Py_ssize_t rows)
