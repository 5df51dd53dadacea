# What other compiled modules use of line_parts.py.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.protocol.headers cimport RequestHeader
from kafkasniff.render.text.repeats cimport Repeats

@cython.final
cdef class LinePart:
    cdef str client, server, client_id
    cdef bytes text
    cdef int more

@cython.final
cdef class LineParts:
    cdef object widths, colours
    cdef readonly object brokers
    cdef dict told, known_answers
    cdef long long changes
    cdef bytes off, before_id
    cdef Py_ssize_t client_width, id_width
    cdef dict servers, client_ids, cut_ids
    cdef list clients, apis
    cdef LinePart unknown_api

    cdef Repeats repeats
    cdef Call learnt, repeated

    cdef Call repeated_by(self, Call call)
    cdef int learn(self, Call call) except -1
    cdef LinePart of_client(self, Call call, str client_id)
    cdef LinePart make_client(self, Call call, str client_id)
    cdef LinePart format_client_id(self, str client_id)
    cdef LinePart of_api(self, RequestHeader header)
