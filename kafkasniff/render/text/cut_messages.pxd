cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.calls.frame cimport Frame
from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer

@cython.locals(request=Frame, response=Frame)
cdef int write_cut(TextBuffer out, Call call) except -1
cdef int _write_side(TextBuffer out, bytes before, Frame frame) except -1
cdef int _write_count(TextBuffer out, long long count) except -1
