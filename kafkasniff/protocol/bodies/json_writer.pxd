# What other compiled modules use of json_writer.py.

cimport cython
from kafkasniff.protocol.bodies.reader cimport BodyReader
from kafkasniff.protocol.bodies.tables cimport BOOL, FLOAT64, RECORDS, FieldTable, JsonPlan
from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer, kafkasniff_number

cdef extern from *:
    """
    enum {
        KAFKASNIFF_BEGIN, KAFKASNIFF_END, KAFKASNIFF_NUMBER, KAFKASNIFF_BOOL, KAFKASNIFF_STRING, KAFKASNIFF_UUID,
        KAFKASNIFF_RECORDS, KAFKASNIFF_INTEGERS, KAFKASNIFF_STRINGS, KAFKASNIFF_STRUCTS, KAFKASNIFF_STRUCT
    };
    enum {
        KAFKASNIFF_NULLABLE = 1, KAFKASNIFF_SIGNED = 2, KAFKASNIFF_NOTED = 4, KAFKASNIFF_NAMES_TOPIC = 8,
        KAFKASNIFF_FLEXIBLE = 16
    };
    enum { KAFKASNIFF_DONE, KAFKASNIFF_UNUSUAL, KAFKASNIFF_NO_ROOM, KAFKASNIFF_NO_NOTES };
    enum { KAFKASNIFF_NOTE = 7, KAFKASNIFF_LONGEST_STRING = 0x7FFF, KAFKASNIFF_AT_ONCE = 64, KAFKASNIFF_SHORT_KEY = 32 };

    /* A step of a plan, as `json_plan.py` makes it. */
    typedef struct {
        uint8_t kind, size, bits, depth;
        uint16_t key, field;
        uint32_t key_at;
        int32_t behind, room;
    } kafkasniff_step;

    /* What is read, between `data` and `end`; what is written, between `to` and `limit`; and what is noted. */
    typedef struct {
        const unsigned char *data, *p, *end;
        unsigned char *to, *limit;
        const kafkasniff_step *steps;
        const char *keys;
        int64_t left;
        long long *indices, *notes;
        ptrdiff_t noted, most_notes;
        int names_internal_topic;
    } kafkasniff_writing;

    /* Reads a length or count of 2 or 4 bytes, or one less than a varint of at most 4; gives 0 where it is another. */
    static inline int kafkasniff_length(const unsigned char **at, const unsigned char *end, int size, int64_t *length) {
        const unsigned char *p = *at;
        int64_t value;
        int shift;
        if (end - p < size) return 0;
        if (size > 1) {
            *length = kafkasniff_signed(p, size);
            *at = p + size;
            return 1;
        }
        value = *p++;
        for (shift = 7; value >> shift & 1; shift += 7) {
            if (p == end || shift > 21) return 0;
            value = (value & ~((int64_t)1 << shift)) | (int64_t)*p++ << shift;
        }
        *length = value - 1;
        *at = p;
        return 1;
    }

    /* The number of a field, whose bytes are there: where there are eight, all of them are read. */
    static inline int64_t kafkasniff_planned_number(
        const unsigned char *p, const unsigned char *end, const kafkasniff_step *step
    ) {
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        uint64_t word;
        if (end - p >= 8) {
            memcpy(&word, p, 8);
            word = __builtin_bswap64(word);
            if (step->bits & KAFKASNIFF_SIGNED) return (int64_t)word >> (64 - 8 * step->size);
            return (int64_t)(word >> (64 - 8 * step->size));
        }
    #endif
        return kafkasniff_number_at(p, step->size, step->bits & KAFKASNIFF_SIGNED);
    }

    static inline int kafkasniff_note(kafkasniff_writing *w, const kafkasniff_step *step, int64_t value, int64_t end) {
        long long *note = w->notes + w->noted;
        if (w->most_notes - w->noted < KAFKASNIFF_NOTE) return 0;
        note[0] = step->field;
        note[1] = value;
        note[2] = end;
        memcpy(note + 3, w->indices, 4 * sizeof(long long));
        w->noted += KAFKASNIFF_NOTE;
        return 1;
    }

    /* Writes a string of the `n` bytes from `p` on, which takes at most 6 * n + 10; gives NULL unless it is ASCII. */
    static inline unsigned char *kafkasniff_string(unsigned char *to, const unsigned char *p, ptrdiff_t n) {
        int is_wide = 0;
        ptrdiff_t plain;
        *to++ = 0x22;
        plain = kafkasniff_copy_plain(to, p, n);
        to += plain;
        if (plain < n) to = kafkasniff_escaped(to, p + plain, n - plain, 0, &is_wide);
        if (is_wide) return NULL;
        *to++ = 0x22;
        return to;
    }

    /* Writes the 16 bytes of a uuid as URL-safe base64 without padding. */
    static inline unsigned char *kafkasniff_uuid(unsigned char *to, const unsigned char *p) {
        static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        int i;
        *to++ = 0x22;
        for (i = 0; i < 5; i++, p += 3) {
            uint32_t bits = (uint32_t)p[0] << 16 | p[1] << 8 | p[2];
            *to++ = letters[bits >> 18];
            *to++ = letters[bits >> 12 & 63];
            *to++ = letters[bits >> 6 & 63];
            *to++ = letters[bits & 63];
        }
        *to++ = letters[p[0] >> 2];
        *to++ = letters[p[0] << 4 & 63];
        *to++ = 0x22;
        return to;
    }

    /* Writes the fields of the struct that begins with a step, as the reader and its sink do one by one.

    Every read is behind a comparison with the end. Of anything unusual it writes no more, and tells so: bytes that lack,
    tagged fields, null where there is none, text beyond ASCII, too many elements. Each struct has room for all that
    its fields take, but for strings and arrays, before and behind which it asks for more. */
    static int kafkasniff_write_struct(kafkasniff_writing *w, const kafkasniff_step *step) {
        const unsigned char *p = w->p, *end = w->end;
        unsigned char *to = w->to;
        const ptrdiff_t room = step->room;
        int64_t n, i, value;
        int status;
        if (w->limit - to < room) return KAFKASNIFF_NO_ROOM;
        for (step++; step->kind != KAFKASNIFF_END; step++) {
            /* Most keys are short, and behind each there is as much. */
            memcpy(to, w->keys + step->key_at, KAFKASNIFF_SHORT_KEY);
            if (step->key > KAFKASNIFF_SHORT_KEY) memcpy(to, w->keys + step->key_at, step->key);
            to += step->key;
            switch (step->kind) {
            case KAFKASNIFF_NUMBER:
                if (end - p < step->size) return KAFKASNIFF_UNUSUAL;
                value = kafkasniff_planned_number(p, end, step);
                p += step->size;
                if (value && step->bits & KAFKASNIFF_NOTED && !kafkasniff_note(w, step, value, 0))
                    return KAFKASNIFF_NO_NOTES;
                to = kafkasniff_number(to, value);
                continue;
            case KAFKASNIFF_BOOL:
                if (end - p < 1) return KAFKASNIFF_UNUSUAL;
                memcpy(to, *p ? "true" : "false", 5);
                to += *p ? 4 : 5;
                p++;
                continue;
            case KAFKASNIFF_UUID:
                if (end - p < 16) return KAFKASNIFF_UNUSUAL;
                if (step->bits & KAFKASNIFF_NOTED && !kafkasniff_note(w, step, p - w->data, 0))
                    return KAFKASNIFF_NO_NOTES;
                to = kafkasniff_uuid(to, p);
                p += 16;
                continue;
            case KAFKASNIFF_STRUCT:
                n = 0;
                if (step->bits & KAFKASNIFF_NULLABLE) {
                    if (end - p < 1) return KAFKASNIFF_UNUSUAL;
                    n = (int8_t)*p++;
                }
                break;
            default:
                if (!kafkasniff_length(&p, end, step->size, &n)) return KAFKASNIFF_UNUSUAL;
                /* No element takes less than a byte. */
                if (n > end - p || (n < 0 && !(step->bits & KAFKASNIFF_NULLABLE))) return KAFKASNIFF_UNUSUAL;
            }
            if (n < 0) {
                memcpy(to, "null", 4);
                to += 4;
                if (step->kind == KAFKASNIFF_STRUCT || step->kind == KAFKASNIFF_STRUCTS)
                    step = w->steps + step->behind - 1;
                continue;
            }
            switch (step->kind) {
            case KAFKASNIFF_STRING:
                if (n > KAFKASNIFF_LONGEST_STRING) return KAFKASNIFF_UNUSUAL;
                if (w->limit - to < 6 * n + 10 + room) return KAFKASNIFF_NO_ROOM;
                if (step->bits & KAFKASNIFF_NAMES_TOPIC && n >= 2 && p[0] == 0x5F && p[1] == 0x5F)
                    w->names_internal_topic = 1;
                to = kafkasniff_string(to, p, n);
                if (!to) return KAFKASNIFF_UNUSUAL;
                p += n;
                continue;
            case KAFKASNIFF_RECORDS:
                to -= step->key;
                kafkasniff_copy(to, w->keys + step->key_at + step->key, step->behind);
                to = kafkasniff_number(to + step->behind, n);
                if (!kafkasniff_note(w, step, p - w->data, n)) return KAFKASNIFF_NO_NOTES;
                p += n;
                continue;
            case KAFKASNIFF_INTEGERS:
                if (n * step->room > end - p) return KAFKASNIFF_UNUSUAL;
                *to++ = 0x5B;
                for (; n > 0; n -= value) {
                    value = n < KAFKASNIFF_AT_ONCE ? n : KAFKASNIFF_AT_ONCE;
                    if (w->limit - to < 21 * value + 2 + room) return KAFKASNIFF_NO_ROOM;
                    to = kafkasniff_integers(to, p, value, step->room, step->bits & KAFKASNIFF_SIGNED);
                    p += value * step->room;
                    if (n > value) *to++ = 0x2C;
                }
                *to++ = 0x5D;
                continue;
            case KAFKASNIFF_STRINGS:
                if (n > w->left) return KAFKASNIFF_UNUSUAL;
                w->left -= n;
                *to++ = 0x5B;
                for (i = 0; i < n; i++) {
                    if (!kafkasniff_length(&p, end, step->room, &value)) return KAFKASNIFF_UNUSUAL;
                    if (value < 0 || value > end - p || value > KAFKASNIFF_LONGEST_STRING) return KAFKASNIFF_UNUSUAL;
                    if (w->limit - to < 6 * value + 12 + room) return KAFKASNIFF_NO_ROOM;
                    if (i) *to++ = 0x2C;
                    to = kafkasniff_string(to, p, value);
                    if (!to) return KAFKASNIFF_UNUSUAL;
                    p += value;
                }
                *to++ = 0x5D;
                continue;
            case KAFKASNIFF_STRUCTS:
                if (n > w->left) return KAFKASNIFF_UNUSUAL;
                *to++ = 0x5B;
                for (i = 0; i < n; i++) {
                    if (--w->left < 0) return KAFKASNIFF_UNUSUAL;
                    w->indices[step->depth] = i;
                    if (i) *to++ = 0x2C;
                    *to++ = 0x7B;
                    w->p = p;
                    w->to = to;
                    if ((status = kafkasniff_write_struct(w, step + 1))) return status;
                    p = w->p;
                    to = w->to;
                    *to++ = 0x7D;
                }
                *to++ = 0x5D;
                break;
            default:
                *to++ = 0x7B;
                w->p = p;
                w->to = to;
                if ((status = kafkasniff_write_struct(w, step + 1))) return status;
                p = w->p;
                to = w->to;
                *to++ = 0x7D;
            }
            if (w->limit - to < room) return KAFKASNIFF_NO_ROOM;
            step = w->steps + step->behind - 1;
        }
        if (step->bits & KAFKASNIFF_FLEXIBLE) {
            if (end - p < 1 || *p) return KAFKASNIFF_UNUSUAL;
            p++;
        }
        w->p = p;
        w->to = to;
        return KAFKASNIFF_DONE;
    }

    /* Writes the fields of the struct whose plan begins with a step; gives the characters, or less than 0 for a reason.

    What is read begins `p` behind `data`. At first `noted` says how many numbers `notes` may hold, then how many there
    are. Where nothing was written nothing else is changed either. */
    static ptrdiff_t kafkasniff_write_planned(
        unsigned char *to, ptrdiff_t room, const char *steps, ptrdiff_t begin, const char *keys,
        const unsigned char *data, ptrdiff_t *p, ptrdiff_t end, long long *left, long long *indices,
        long long *notes, ptrdiff_t *noted, int *names_internal_topic
    ) {
        kafkasniff_writing w = {
            data, data + *p, data + end, to, to + room, (const kafkasniff_step *)steps, keys, *left, indices, notes, 0,
            *noted, 0
        };
        int status = kafkasniff_write_struct(&w, w.steps + begin);
        if (status) return -status;
        *p = w.p - data;
        *left = w.left;
        *noted = w.noted;
        *names_internal_topic |= w.names_internal_topic;
        return w.to - to;
    }
    """
    enum:
        KAFKASNIFF_NO_ROOM
        KAFKASNIFF_NO_NOTES
        KAFKASNIFF_NOTE

    Py_ssize_t kafkasniff_write_planned(
        unsigned char *to, Py_ssize_t room, const char *steps, Py_ssize_t begin, const char *keys,
        const unsigned char *data, Py_ssize_t *p, Py_ssize_t end, long long *left, long long *indices,
        long long *notes, Py_ssize_t *noted, int *names_internal_topic
    )

cdef class JsonWriter(BodyReader):
    cdef public TextBuffer out
    cdef readonly list topic_ids
    cdef readonly list places
    cdef Py_ssize_t[::1] marks
    cdef long long[::1] notes
    cdef dict tagged_texts
    cdef list tagged_starts
    cdef long long[::1] configs
    cdef dict secret_names
    cdef readonly int names_internal_topic

    cdef int begin_next(self, bytes data, Py_ssize_t offset, long long most) except -1
    cdef int write(self, FieldTable table) except -1
    cdef bint take_struct(self, FieldTable table) except -1
    cdef int take_note(self, FieldTable field, Py_ssize_t at) except -1
    cdef int key(self, FieldTable field, bint in_array) except -1
    cdef int hide_config(self, FieldTable field) except -1
    cdef bint is_secret_name(self, bytes name) except -1
    cdef bint may_hold_secrets(self, Py_ssize_t at, Py_ssize_t length) except -1
    cdef int note_text(self, FieldTable field, Py_ssize_t at, Py_ssize_t length, Py_ssize_t text_at) except -1
