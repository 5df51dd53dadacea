cdef long long MASK, FARTHEST, LARGEST_LEAP, NEVER

cpdef long long distance(long long sequence, long long base)
