cpdef long long distance(long long sequence, long long base)
