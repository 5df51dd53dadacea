# Declares totals.py, which is compiled since filters and `diagnose` count the records of every call.

cimport cython
from kafkasniff.octets cimport signed32
from kafkasniff.protocol.records.crc32c cimport sound_batch

cdef long long _COMPRESSION, _MOST_BATCHES

@cython.locals(
    records="long long", codecs="long long", batches="long long", start=Py_ssize_t, end=Py_ssize_t, place=Py_ssize_t,
    size="long long",
)
cpdef object count_records(bytes data, list fields, object side)
