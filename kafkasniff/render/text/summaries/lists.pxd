# What other compiled modules use of lists.py.

from kafkasniff.protocol.bodies.reader cimport BodyReader, kafkasniff_is_printable
from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer

cdef extern from *:
    """
    /* Whether some bytes begin with a text of ASCII. */
    static inline int kafkasniff_has_prefix(const unsigned char *p, ptrdiff_t n, PyObject *text) {
        ptrdiff_t size = PyUnicode_GET_LENGTH(text);
        return PyUnicode_IS_ASCII(text) && size <= n && memcmp(p, PyUnicode_1BYTE_DATA(text), size) == 0;
    }
    """
    bint kafkasniff_has_prefix(const unsigned char *p, Py_ssize_t n, str text)

cdef class SummaryLists(BodyReader):
    cdef TextBuffer listed
    cdef TextBuffer named
    cdef object topic_names
    cdef str client_id
    cdef Py_ssize_t topics
    cdef Py_ssize_t partitions
    cdef Py_ssize_t names
    cdef Py_ssize_t entries
    cdef bint is_muted

    cdef int begin_lists(self) except -1
    cdef int list_topic(self, Py_ssize_t at, Py_ssize_t size) except -1
    cdef int list_partition(self, long long value) except -1
    cdef int list_offset(self, long long value, bint is_timestamp) except -1
    cdef int end_list(self) except -1
    cdef int begin_name(self) except -1
    cdef int begin_entry(self, bytes separator) except -1
    cdef Py_ssize_t client_id_size(self, Py_ssize_t at, Py_ssize_t length) except -1
    cdef int name_topic(self, TextBuffer out, Py_ssize_t at, Py_ssize_t size) except -1
    cdef int shown(self, TextBuffer out, Py_ssize_t at, Py_ssize_t length, Py_ssize_t most) except -1
    cdef int member(self, TextBuffer out, Py_ssize_t at, Py_ssize_t length) except -1
