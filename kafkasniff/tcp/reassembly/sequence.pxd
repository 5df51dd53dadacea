cdef long long MASK, HALF, FARTHEST, LARGEST_LEAP, NEVER

cpdef long long distance(long long sequence, long long base)
