# What other compiled modules use of crc32c.py, and the checksum in C.

cimport cython
from kafkasniff.octets cimport big32

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
    #define KAFKASNIFF_CRC_RUN 512

    /* What a run of zeros makes of a checksum, by each of its bytes. */
    static uint32_t kafkasniff_crc_runs[4][256];

    static inline uint32_t kafkasniff_crc_behind_run(uint32_t c) {
        return kafkasniff_crc_runs[0][c & 255] ^ kafkasniff_crc_runs[1][c >> 8 & 255]
            ^ kafkasniff_crc_runs[2][c >> 16 & 255] ^ kafkasniff_crc_runs[3][c >> 24];
    }

    #if defined(__clang__)
    __attribute__((target("crc32")))
    #else
    __attribute__((target("sse4.2")))
    #endif
    static uint32_t kafkasniff_crc_sse42(uint32_t crc, const unsigned char *p, size_t n) {
        uint64_t c = crc, w;
        /* The instruction takes three cycles, but one can begin in each: three runs at once, then joined. */
        for (; n >= 3 * KAFKASNIFF_CRC_RUN; p += 3 * KAFKASNIFF_CRC_RUN, n -= 3 * KAFKASNIFF_CRC_RUN) {
            uint64_t second = 0, third = 0;
            for (int i = 0; i < KAFKASNIFF_CRC_RUN; i += 8) {
                memcpy(&w, p + i, 8);
                c = __builtin_ia32_crc32di(c, w);
                memcpy(&w, p + KAFKASNIFF_CRC_RUN + i, 8);
                second = __builtin_ia32_crc32di(second, w);
                memcpy(&w, p + 2 * KAFKASNIFF_CRC_RUN + i, 8);
                third = __builtin_ia32_crc32di(third, w);
            }
            c = kafkasniff_crc_behind_run((uint32_t)c) ^ second;
            c = kafkasniff_crc_behind_run((uint32_t)c) ^ third;
        }
        for (; n >= 8; p += 8, n -= 8) { memcpy(&w, p, 8); c = __builtin_ia32_crc32di(c, w); }
        for (; n; p++, n--) c = __builtin_ia32_crc32qi((uint32_t)c, *p);
        return (uint32_t)c;
    }

    /* Of the 32 bits of a checksum each does its own: what a run of zeros makes of one is what it adds to the sum. */
    static void kafkasniff_crc_begin_runs(void) {
        static const unsigned char zeros[KAFKASNIFF_CRC_RUN];
        for (int bit = 0; bit < 32; bit++) {
            uint32_t made = kafkasniff_crc_sse42((uint32_t)1 << bit, zeros, KAFKASNIFF_CRC_RUN);
            for (int i = 0; i < 256; i++) if (i >> (bit & 7) & 1) kafkasniff_crc_runs[bit >> 3][i] ^= made;
        }
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
        if (has) kafkasniff_crc_begin_runs();
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
@cython.locals(view="const unsigned char*")
cpdef long long sound_batch(bytes data, Py_ssize_t start, Py_ssize_t end) except -1
