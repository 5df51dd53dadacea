cimport cython

cdef Py_ssize_t _BLOCK_OVERHEAD, _CLOCK
cdef unsigned long long _ENHANCED_PACKET, _MOST_NS

@cython.final
cdef class RecordWalker:
    cdef bint _big_endian, _lengths_swapped
    cdef Py_ssize_t _header_length
    cdef long long _fraction_ns, _captured_limit

    @cython.locals(
        view="const unsigned char*", size=Py_ssize_t, header_length=Py_ssize_t, seconds="long long",
        fraction="long long", captured="long long", original="long long", offset=Py_ssize_t, big=bint,
        offsets="long long[::1]", captureds="long long[::1]", originals="long long[::1]", times="long long[::1]",
        need=Py_ssize_t, count=Py_ssize_t, most=Py_ssize_t,
    )
    cpdef tuple walk(self, bytes data, Py_ssize_t position, columns)

@cython.final
cdef class EnhancedPackets:
    cdef bint _big_endian
    cdef object _clocks

    @cython.locals(
        view="const unsigned char*", size=Py_ssize_t, big=bint, clocks="const long long[::1]", interfaces=Py_ssize_t,
        offsets="long long[::1]", captureds="long long[::1]", originals="long long[::1]", times="long long[::1]",
        interface_ids="long long[::1]", count=Py_ssize_t, most=Py_ssize_t, length="long long", interface="long long",
        captured="long long", original="long long", clock=Py_ssize_t, numerator="unsigned long long",
        denominator="unsigned long long", ticks="unsigned long long", time="long long",
    )
    cpdef Py_ssize_t take(self, bytes data, Py_ssize_t position, columns) except -1

cdef tuple _take_room()
@cython.locals(first="unsigned long long", second="unsigned long long", third="unsigned long long", fourth="unsigned long long")
cdef unsigned long long _number(const unsigned char* view, Py_ssize_t at, bint big_endian) noexcept
