# What other compiled modules use of text_buffer.py.

cimport cython
cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #endif

    /* The signed big-endian number of 1, 2, 4 or 8 bytes. */
    static inline long long kafkasniff_signed(const unsigned char *p, int size) {
        uint64_t w64;
        uint32_t w32;
        switch (size) {
        case 1: return (int8_t)p[0];
        case 2: return (int16_t)(p[0] << 8 | p[1]);
        case 4: w32 = (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3]; return (int32_t)w32;
        default:
            w64 = (uint64_t)p[0] << 56 | (uint64_t)p[1] << 48 | (uint64_t)p[2] << 40 | (uint64_t)p[3] << 32;
            return (int64_t)(w64 | (uint64_t)p[4] << 24 | (uint32_t)p[5] << 16 | p[6] << 8 | p[7]);
        }
    }

    /* The same of a field, which has perhaps no sign; of one byte without a sign, whether it is not zero. */
    static inline long long kafkasniff_number_at(const unsigned char *p, int size, int is_signed) {
        long long value = kafkasniff_signed(p, size);
        if (is_signed) return value;
        return size == 1 ? value != 0 : value & (size == 2 ? 0xFFFF : 0xFFFFFFFF);
    }

    /* Copies a text, a short one without a call; neither may lie in the other. */
    static inline void kafkasniff_copy(unsigned char *to, const void *text, ptrdiff_t n) {
        const unsigned char *from = (const unsigned char *)text;
        if (n > 32) {
            memcpy(to, from, n);
        } else if (n >= 16) {
            memcpy(to, from, 16);
            memcpy(to + n - 16, from + n - 16, 16);
        } else if (n >= 8) {
            memcpy(to, from, 8);
            memcpy(to + n - 8, from + n - 8, 8);
        } else if (n >= 4) {
            memcpy(to, from, 4);
            memcpy(to + n - 4, from + n - 4, 4);
        } else if (n > 0) {
            to[0] = from[0];
            to[n >> 1] = from[n >> 1];
            to[n - 1] = from[n - 1];
        }
    }

    /* Copies a whole bytes object; gives where the copy ends. */
    static inline unsigned char *kafkasniff_add(unsigned char *to, PyObject *text) {
        kafkasniff_copy(to, PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text));
        return to + PyBytes_GET_SIZE(text);
    }

    /* Whether eight bytes are ASCII that stands in a JSON string as it is. */
    static inline int kafkasniff_is_plain(uint64_t word) {
        const uint64_t ones = 0x0101010101010101u;
        return (((word - 0x20 * ones) | ((word ^ 0x22 * ones) - ones) | ((word ^ 0x5C * ones) - ones) | (word + ones)
            | word) & 0x80 * ones) == 0;
    }

    /* Copies text up to what does not stand in a JSON string as it is, or somewhat before that; gives how much. */
    static inline ptrdiff_t kafkasniff_copy_plain(unsigned char *to, const unsigned char *from, ptrdiff_t n) {
        uint64_t word = 0x2020202020202020u;
        uint32_t half;
        ptrdiff_t i;
        if (n >= 8) {
            for (i = 0; i < n - 8; i += 8) {
                memcpy(&word, from + i, 8);
                if (!kafkasniff_is_plain(word)) return i;
                memcpy(to + i, &word, 8);
            }
            memcpy(&word, from + n - 8, 8);
            if (!kafkasniff_is_plain(word)) return i;
            memcpy(to + n - 8, &word, 8);
            return n;
        }
        if (n >= 4) {
            memcpy(&half, from, 4);
            word = half;
            memcpy(&half, from + n - 4, 4);
            word = word << 32 | half;
        } else if (n > 0) {
            word = word << 24 | (uint32_t)from[0] << 16 | from[n >> 1] << 8 | from[n - 1];
        }
        if (!kafkasniff_is_plain(word)) return 0;
        kafkasniff_copy(to, from, n);
        return n;
    }

    /* Writes a character as it stands in a JSON string, in six at most; sets `is_wide` where it is not ASCII, or DEL.

    Gives where it ends; NULL, if it `stops`, of a control character other than tab and line ends. */
    static inline unsigned char *kafkasniff_escape(unsigned char *to, unsigned char c, int stops, int *is_wide) {
        static const char hex[] = "0123456789abcdef", letters[] = "........btn.fr..................";
        if (c >= 0x20) {
            if (c >= 0x7F) *is_wide = 1;
            if (c == 0x7F && stops) return NULL;
            if (c == 0x22 || c == 0x5C) *to++ = 0x5C;
            *to++ = c;
            return to;
        }
        if (stops && c != 9 && c != 10 && c != 13) return NULL;
        *to++ = 0x5C;
        if (letters[c] != '.') {
            *to++ = letters[c];
            return to;
        }
        memcpy(to, "u00", 3);
        to[3] = hex[c >> 4];
        to[4] = hex[c & 15];
        return to + 5;
    }

    /* Writes text so; gives where that ends, or NULL. What may be overwritten is six bytes for each that is read. */
    static inline unsigned char *kafkasniff_escaped(
        unsigned char *to, const unsigned char *from, ptrdiff_t n, int stops, int *is_wide
    ) {
        const uint64_t ones = 0x0101010101010101u, high = 0x80 * ones;
        const unsigned char *end = from + n;
    #if defined(__SSE2__)
        const __m128i quote = _mm_set1_epi8(0x22), slash = _mm_set1_epi8(0x5C), del = _mm_set1_epi8(0x7F);
        const __m128i control = _mm_set1_epi8(0x1F);
        while (end - from >= 32) {
            __m128i some = _mm_loadu_si128((const __m128i *)from);
            __m128i odd = _mm_or_si128(_mm_cmpeq_epi8(some, quote), _mm_cmpeq_epi8(some, slash));
            unsigned found, at = 0;
            odd = _mm_or_si128(odd, _mm_cmpeq_epi8(some, del));
            odd = _mm_or_si128(odd, _mm_cmpeq_epi8(some, _mm_min_epu8(some, control)));
            _mm_storeu_si128((__m128i *)to, some);
            if (_mm_movemask_epi8(some)) *is_wide = 1;
            for (found = _mm_movemask_epi8(odd); found; found &= found - 1) {
                unsigned next = __builtin_ctz(found);
                to = kafkasniff_escape(to + (next - at), from[next], stops, is_wide);
                if (!to) return NULL;
                at = next + 1;
                _mm_storeu_si128((__m128i *)to, _mm_loadu_si128((const __m128i *)(from + at)));
            }
            to += 16 - at;
            from += 16;
        }
    #endif
        while (from < end) {
            if (end - from >= 8) {
                uint64_t word, quotes, slashes, dels, found;
                memcpy(&word, from, 8);
                memcpy(to, from, 8);
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
                word = __builtin_bswap64(word);
    #endif
                if (word & high) *is_wide = 1;
                quotes = word ^ 0x22 * ones;
                slashes = word ^ 0x5C * ones;
                dels = word ^ 0x7F * ones;
                /* Up to the lowest byte that is found no difference borrows. */
                found = ((word - 0x20 * ones) & ~word) | ((quotes - ones) & ~quotes) | ((slashes - ones) & ~slashes)
                    | ((dels - ones) & ~dels);
                found &= high;
                if (!found) {
                    to += 8;
                    from += 8;
                    continue;
                }
                n = __builtin_ctzll(found) >> 3;
                to += n;
                from += n;
            }
            to = kafkasniff_escape(to, *from++, stops, is_wide);
            if (!to) return NULL;
        }
        return to;
    }

    /* The eight digits of a number below 10 ** 8, the first in the lowest byte: by halves, quarters and eighths. */
    static inline uint64_t kafkasniff_eight(uint32_t value) {
        uint64_t halves = (uint64_t)(value % 10000) << 32 | value / 10000;
        uint64_t hundreds = (halves * 10486 >> 20) & 0x0000007F0000007Fu;
        uint64_t pairs = hundreds | (halves - 100 * hundreds) << 16;
        uint64_t tens = (pairs * 103 >> 10) & 0x000F000F000F000Fu;
        return (tens | (pairs - 10 * tens) << 8) + 0x3030303030303030u;
    }

    /* Writes the last 1 to 8 digits of a number below 10 ** 8. All eight bytes from `to` on may be overwritten. */
    static inline void kafkasniff_last_digits(unsigned char *to, uint32_t value, int digits) {
        uint64_t eight = kafkasniff_eight(value) >> (64 - 8 * digits);
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        eight = __builtin_bswap64(eight);
    #endif
        memcpy(to, &eight, 8);
    }

    /* Writes the last digits of a number, zeros before it. Eight bytes from `to` on may be overwritten. */
    static inline void kafkasniff_padded(unsigned char *to, uint64_t value, int digits) {
        for (; digits > 8; digits--, to++) {
            uint64_t power = 1;
            int i;
            for (i = 1; i < digits; i++) power *= 10;
            *to = (unsigned char)('0' + value / power % 10);
        }
        if (digits > 0) kafkasniff_last_digits(to, (uint32_t)(value % 100000000), digits);
    }

    /* The same; gives where they end. */
    static inline unsigned char *kafkasniff_zeros(unsigned char *to, uint64_t value, int digits) {
        kafkasniff_padded(to, value, digits);
        return to + digits;
    }

    /* How many digits a number has: from its bits, of which three make nearly a digit. */
    static inline int kafkasniff_digits(uint64_t value) {
        static const uint64_t powers[20] = {
            0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000u, 100000000000u,
            1000000000000u, 10000000000000u, 100000000000000u, 1000000000000000u, 10000000000000000u,
            100000000000000000u, 1000000000000000000u, 10000000000000000000u
        };
        int digits = (64 - __builtin_clzll(value | 1)) * 1233 >> 12;
        return digits + (value >= powers[digits]);
    }

    /* Writes a number below 10 ** 8; gives where it ends. Eight bytes from `to` on may be overwritten. */
    static inline unsigned char *kafkasniff_short_number(unsigned char *to, uint32_t value) {
        int digits = kafkasniff_digits(value);
        kafkasniff_last_digits(to, value, digits);
        return to + digits;
    }

    /* Writes a number; gives where it ends. 20 bytes from `to` on may be overwritten, which is its greatest length. */
    static inline unsigned char *kafkasniff_number(unsigned char *to, int64_t number) {
        uint64_t value = (uint64_t)number;
        if (number < 0) {
            *to++ = '-';
            value = 0 - value;
        }
        if (value < 10) {
            *to = (unsigned char)('0' + value);
            return to + 1;
        }
        if (value < 100000000) return kafkasniff_short_number(to, (uint32_t)value);
        if (value >= 10000000000000000u) {
            to = kafkasniff_short_number(to, (uint32_t)(value / 10000000000000000u));
            value %= 10000000000000000u;
            kafkasniff_last_digits(to, (uint32_t)(value / 100000000), 8);
            to += 8;
        } else {
            to = kafkasniff_short_number(to, (uint32_t)(value / 100000000));
        }
        kafkasniff_last_digits(to, (uint32_t)(value % 100000000), 8);
        return to + 8;
    }

    /* Writes spaces, eight at a time: up to seven bytes behind them may be overwritten. */
    static inline void kafkasniff_spaces(unsigned char *to, ptrdiff_t count) {
        const uint64_t spaces = 0x2020202020202020u;
        for (; count > 0; count -= 8, to += 8) memcpy(to, &spaces, 8);
    }

    /* Writes a number aligned to the right; gives where it ends. 20 bytes more than its column may be overwritten. */
    static inline unsigned char *kafkasniff_aligned(unsigned char *to, int64_t number, int width) {
        int size = number < 0 ? 1 + kafkasniff_digits(0 - (uint64_t)number) : kafkasniff_digits((uint64_t)number);
        if (size < width) {
            kafkasniff_spaces(to, width - size);
            to += width - size;
        }
        return kafkasniff_number(to, number);
    }

    /* `value / step` rounded as Python's formatting rounds `value / unit`: halves by which side of them the float is. */
    static inline uint32_t kafkasniff_rounded(uint32_t value, uint32_t unit, uint32_t step) {
        uint32_t whole = value / step, rest = value % step;
        if (2 * rest == step) {
            double quotient = (double)value / unit;
            uint64_t bits;
            unsigned __int128 there, exact;
            memcpy(&bits, &quotient, 8);
            there = (unsigned __int128)((bits & 0xFFFFFFFFFFFFFu) | 0x10000000000000u) * unit;
            exact = (unsigned __int128)value << (52 + 1023 - (int)(bits >> 52));
            return whole + (there > exact || (there == exact && (whole & 1)));
        }
        return whole + (2 * rest > step);
    }

    /* Writes a duration below a second as `duration_text` has it, in seven columns; gives where it ends. 12 bytes from
    `to` on may be overwritten. */
    static inline unsigned char *kafkasniff_duration(unsigned char *to, uint32_t took) {
        uint32_t value;
        if (took < 999500) {
            to = kafkasniff_aligned(to, kafkasniff_rounded(took, 1000, 1000), 4);
            memcpy(to, " µs", 4);
            return to + 4;
        }
        if (took < 9995000) {
            value = kafkasniff_rounded(took, 1000000, 10000);
            to[0] = (unsigned char)('0' + value / 100);
            to[1] = '.';
            to[2] = (unsigned char)('0' + value / 10 % 10);
        } else if (took < 99950000) {
            value = kafkasniff_rounded(took, 1000000, 100000);
            to[0] = (unsigned char)('0' + value / 100);
            to[1] = (unsigned char)('0' + value / 10 % 10);
            to[2] = '.';
        } else {
            value = kafkasniff_rounded(took, 1000000, 1000000);
            to[0] = ' ';
            to[1] = (unsigned char)('0' + value / 100);
            to[2] = (unsigned char)('0' + value / 10 % 10);
        }
        to[3] = (unsigned char)('0' + value % 10);
        memcpy(to + 4, " ms", 3);
        return to + 7;
    }

    /* Writes big-endian numbers with commas between them; gives where they end. Each may overwrite 21 bytes. */
    static inline unsigned char *kafkasniff_integers(
        unsigned char *to, const unsigned char *from, ptrdiff_t count, int size, int is_signed
    ) {
        for (; count > 0; count--, from += size) {
            to = kafkasniff_number(to, kafkasniff_number_at(from, size, is_signed));
            if (count > 1) *to++ = ',';
        }
        return to;
    }
    """
    long long kafkasniff_signed(const unsigned char *p, int size)
    long long kafkasniff_number_at(const unsigned char *p, int size, bint is_signed)
    unsigned char *kafkasniff_integers(
        unsigned char *to, const unsigned char *data, Py_ssize_t count, int size, bint is_signed
    )
    void kafkasniff_copy(unsigned char *to, const void *text, Py_ssize_t n)
    Py_ssize_t kafkasniff_copy_plain(unsigned char *to, const unsigned char *text, Py_ssize_t n)
    unsigned char *kafkasniff_escaped(
        unsigned char *to, const unsigned char *text, Py_ssize_t n, bint stops, int *is_wide
    )
    void kafkasniff_padded(unsigned char *to, unsigned long long value, int digits)
    unsigned char *kafkasniff_zeros(unsigned char *to, unsigned long long value, int digits)
    unsigned char *kafkasniff_number(unsigned char *to, long long number)
    unsigned char *kafkasniff_add(unsigned char *to, bytes text)
    unsigned char *kafkasniff_aligned(unsigned char *to, long long number, int width)
    unsigned char *kafkasniff_duration(unsigned char *to, unsigned int took)

@cython.final
cdef class TextBuffer:
    cdef bytearray store
    cdef unsigned char[::1] buffer
    cdef Py_ssize_t room
    cdef readonly Py_ssize_t size
    cdef public bint is_unsafe

    cdef int grow(self, Py_ssize_t more) except -1
    cdef unsigned char* reserve(self, Py_ssize_t more) except NULL
    cdef int byte(self, int value) except -1
    cdef int add(self, bytes text) except -1
    @cython.locals(view="const unsigned char*")
    cdef int copy(self, bytes source, Py_ssize_t at, Py_ssize_t length) except -1
    cdef int append(self, TextBuffer other) except -1
    @cython.locals(to="unsigned char*", text="const char*")
    cdef int key(self, bytes key) except -1
    cdef int open(self, bytes key, int bracket) except -1
    @cython.locals(view="const unsigned char*", to="unsigned char*", start="unsigned char*")
    cdef int integers(self, bytes source, Py_ssize_t at, Py_ssize_t count, int size, bint is_signed) except -1
    cdef int member(self, bytes key, long long value) except -1
    @cython.locals(to="unsigned char*")
    cdef int number(self, long long value) except -1
    @cython.locals(to="unsigned char*")
    cdef int number_behind(self, int byte, long long value) except -1
    cdef int padded(self, long long value, int digits) except -1
    cdef int json_string(self, bytes source, Py_ssize_t at, Py_ssize_t length) except -1
    @cython.locals(view="const unsigned char*")
    cdef bint shown_string(self, bytes source, Py_ssize_t at, Py_ssize_t length) except -1
    @cython.locals(view="const unsigned char*", to="unsigned char*", behind="unsigned char*")
    cdef int write_string(self, bytes source, Py_ssize_t at, Py_ssize_t length, bint stops) except -1
    @cython.locals(view="const unsigned char*", letters="const unsigned char*")
    cdef int base64(self, bytes source, Py_ssize_t at, Py_ssize_t length, bint url_safe) except -1
    cdef int replace(self, Py_ssize_t start, Py_ssize_t end, bytes text) except -1
    cdef int last(self) except -1
    cdef int cut(self, Py_ssize_t size) except -1
    cdef bytes taken(self, Py_ssize_t start)
    cdef object view(self)

cdef int _check_part(bytes source, Py_ssize_t at, Py_ssize_t length) except -1
