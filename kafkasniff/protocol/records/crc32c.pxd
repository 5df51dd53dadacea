# What other compiled modules use of crc32c.py, and the checksum in C.

cimport cython

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>

    /* CRC-32C (RFC 3720, B.4), reflected; by the processor's instruction where it has one. */
    static uint32_t kafkasniff_crc_table[256];
    static int kafkasniff_crc_by_processor = -1;

    #if defined(__x86_64__)
    #include <cpuid.h>
    #if defined(__clang__)
    __attribute__((target("crc32")))
    #else
    __attribute__((target("sse4.2")))
    #endif
    static uint32_t kafkasniff_crc_sse42(uint32_t crc, const unsigned char *p, size_t n) {
        uint64_t c = crc, w;
        for (; n >= 8; p += 8, n -= 8) { memcpy(&w, p, 8); c = __builtin_ia32_crc32di(c, w); }
        for (; n; p++, n--) c = __builtin_ia32_crc32qi((uint32_t)c, *p);
        return (uint32_t)c;
    }
    #endif

    static void kafkasniff_crc_begin(void) {
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t c = i;
            for (int k = 0; k < 8; k++) c = c & 1 ? (c >> 1) ^ 0x82F63B78u : c >> 1;
            kafkasniff_crc_table[i] = c;
        }
        int has = 0;
    #if defined(__x86_64__)
        unsigned a, b, c = 0, d;
        if (__get_cpuid(1, &a, &b, &c, &d)) has = (c >> 20) & 1;
    #endif
        kafkasniff_crc_by_processor = has;
    }

    static uint32_t kafkasniff_crc32c(const unsigned char *p, size_t n) {
        uint32_t c = 0xFFFFFFFFu;
        if (kafkasniff_crc_by_processor < 0) kafkasniff_crc_begin();
    #if defined(__x86_64__)
        if (kafkasniff_crc_by_processor) return ~kafkasniff_crc_sse42(c, p, n);
    #endif
        for (; n; p++, n--) c = (c >> 8) ^ kafkasniff_crc_table[(c ^ *p) & 255];
        return ~c;
    }
    """
    unsigned int kafkasniff_crc32c(const unsigned char *p, size_t n)

@cython.locals(view="const unsigned char*")
cpdef long long crc32c_of(bytes data, Py_ssize_t start, Py_ssize_t end) except -1
