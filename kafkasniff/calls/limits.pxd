cimport cython

@cython.final
cdef class Budget:
    cdef long long _held
    cdef long long _limit
    cdef dict _reached

    cpdef take(self, long long count)
    cpdef give_back(self, long long count)
