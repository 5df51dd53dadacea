cimport cython

@cython.final
cdef class Hole:
    cdef readonly long long order, at, end, time, packets, heard

    @cython.locals(waited="long long", silent=bint)
    cpdef silence(
        self, long long order, long long time, long long packets, long long heard, limits, long long reordering
    )
