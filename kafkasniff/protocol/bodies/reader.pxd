# What other compiled modules use of reader.py. A sink is a subclass of BodyReader with its own `take_…` methods.

cimport cython
from kafkasniff.protocol.bodies.tables cimport STRING, FieldTable
from kafkasniff.protocol.bodies.text_buffer cimport kafkasniff_number_at, kafkasniff_signed

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>

    /* Whether all are below 0x80, and whether all are printable ASCII: eight bytes at a time, the last ones again. */
    static inline int kafkasniff_is_ascii(const unsigned char *p, ptrdiff_t n) {
        const uint64_t high = 0x8080808080808080u;
        uint64_t w, found = 0;
        if (n >= 8) {
            for (; n > 8; p += 8, n -= 8) { memcpy(&w, p, 8); found |= w; }
            memcpy(&w, p + n - 8, 8);
            return ((found | w) & high) == 0;
        }
        for (; n > 0; p++, n--) found |= *p;
        return (found & high) == 0;
    }

    static inline int kafkasniff_is_printable(const unsigned char *p, ptrdiff_t n) {
        const uint64_t high = 0x8080808080808080u, ones = 0x0101010101010101u;
        uint64_t w, found = 0;
        /* Below 0x80 no sum carries: 0x60 more has the high bit from 0x20 on, 1 more only of 0x7F. */
        if (n >= 8) {
            for (; n > 8; p += 8, n -= 8) { memcpy(&w, p, 8); found |= w | (w + ones) | ~((w & ~high) + 0x60 * ones); }
            memcpy(&w, p + n - 8, 8);
            found |= w | (w + ones) | ~((w & ~high) + 0x60 * ones);
            return (found & high) == 0;
        }
        for (; n > 0; p++, n--) if (*p < 0x20 || *p >= 0x7F) return 0;
        return (found & high) == 0;
    }
    """
    bint kafkasniff_is_ascii(const unsigned char *p, Py_ssize_t n)
    bint kafkasniff_is_printable(const unsigned char *p, Py_ssize_t n)

cdef class BodyReader:
    cdef bytes data
    cdef const unsigned char* view
    cdef readonly Py_ssize_t p
    cdef readonly Py_ssize_t end
    cdef Py_ssize_t start
    cdef long long most
    cdef long long left
    cdef bint is_partial
    cdef bint notes_structure
    cdef long long[::1] indices
    cdef long long[::1] counts
    cdef readonly list errors
    cdef readonly list records

    cdef int begin(self, bytes data, Py_ssize_t offset, Py_ssize_t end, long long most) except -1
    @cython.final
    cdef int look_at(self, bytes data, Py_ssize_t offset, Py_ssize_t end, long long most) except -1
    @cython.final
    cdef int release(self) except -1
    @cython.final
    cdef object no_text(self, FieldTable field, long long length)
    @cython.final
    cdef int take_no_array(self, FieldTable field, long long count) except -1
    @cython.final
    cdef object no_fixed(self, FieldTable field)
    @cython.final
    cdef object no_elements(self, FieldTable field, long long count, Py_ssize_t size)
    @cython.final
    cdef object no_integers(self, FieldTable field, Py_ssize_t count)

    @cython.final
    cdef long long number(self, FieldTable field, Py_ssize_t at) except? -1
    @cython.final
    cdef long long integer(self, Py_ssize_t at, int size) except? -1
    @cython.final
    cdef int check_text(self, FieldTable field, Py_ssize_t at, Py_ssize_t length) except -1
    @cython.final
    cdef str place(self, FieldTable field, bint in_array, str suffix)
    @cython.final
    cdef str described(self, FieldTable field, bint in_array)
    @cython.final
    cdef object too_many(self, FieldTable field, bint in_array, str suffix)
    @cython.final
    cdef object not_utf8(self, FieldTable field)
    @cython.final
    cdef long long varint(self, FieldTable field, bint in_array, str suffix, str expected) except? -1
    @cython.final
    cdef long long long_length(self, FieldTable field, bint in_array, int size) except? -1
    @cython.final
    cdef bytes raw(self, Py_ssize_t at, Py_ssize_t length)
    @cython.final
    cdef str text(self, Py_ssize_t at, Py_ssize_t length)
    @cython.final
    cdef str path(self, FieldTable field, bint in_array)
    @cython.final
    cdef object failure(self, str expected, Py_ssize_t offset, str path)

    cdef int note_records(self, FieldTable field, Py_ssize_t at, Py_ssize_t length) except -1
    cdef int note_error(self, FieldTable field, long long code) except -1
    cdef int begin_struct(self, FieldTable field) except -1
    cdef int end_struct(self, FieldTable field) except -1
    cdef int begin_array(self, FieldTable field, Py_ssize_t count) except -1
    cdef int end_array(self, FieldTable field) except -1
    cdef int begin_tagged(self, FieldTable field) except -1
    cdef int end_tagged(self, FieldTable field) except -1
    cdef int end_tags(self, FieldTable table) except -1
    cdef int mark_place(self, FieldTable field) except -1
    cdef int take_null(self, FieldTable field) except -1
    cdef int take_number(self, FieldTable field, long long value) except -1
    cdef int take_fixed(self, FieldTable field, Py_ssize_t at) except -1
    cdef int take_integers(self, FieldTable field, Py_ssize_t at, Py_ssize_t count) except -1
    cdef int take_string(self, FieldTable field, Py_ssize_t at, Py_ssize_t length) except -1
    cdef int take_bytes(self, FieldTable field, Py_ssize_t at, Py_ssize_t length) except -1
    cdef int take_records(self, FieldTable field, Py_ssize_t at, Py_ssize_t length) except -1
    cdef int take_structure(self, str path, Py_ssize_t start, object value) except -1
