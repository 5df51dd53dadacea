# Compiled for speed: each call goes to several rules.

cimport cython

@cython.locals(
    topic=dict, partition=dict, partitions=list, key=tuple, again=bint, second="long long", before="long long"
)
cdef bint _commits_again(dict latest, list topics, long long now) except -1
