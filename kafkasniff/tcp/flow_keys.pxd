cpdef reverse(key)
cdef bytes _reverse_ends(bytes ends)
