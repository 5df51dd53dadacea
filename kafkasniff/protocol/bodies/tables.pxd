# What other compiled modules use of tables.py.

cdef int BOOL, INT8, INT16, UINT16, INT32, UINT32, INT64, FLOAT64, UUID, STRING, BYTES, RECORDS, STRUCT

cdef class FieldTable:
    cdef readonly str name
    cdef readonly str type_name
    cdef readonly int kind
    cdef readonly int size
    cdef readonly bint is_signed
    cdef readonly int length_size
    cdef readonly int count_size
    cdef readonly bint is_array
    cdef readonly bint is_nullable
    cdef readonly bint is_tagged
    cdef readonly bint is_compact
    cdef readonly bint is_flexible
    cdef readonly bint is_error_code
    cdef readonly bint is_topic_id
    cdef public bint is_wanted
    cdef public bint is_told
    cdef public bint tells_elements
    cdef public bint is_secret
    cdef public int role
    cdef readonly int tag
    cdef readonly int version
    cdef readonly int depth
    cdef readonly int slot
    cdef public Py_ssize_t first_step, step_behind
    cdef public object steps
    cdef readonly FieldTable parent
    cdef readonly tuple fields
    cdef readonly tuple plain_fields
    cdef readonly tuple tagged_fields
    cdef readonly tuple tagged_before
    cdef readonly frozenset other_tags
    cdef readonly object default
    cdef readonly bytes default_text
    cdef public str first_path
    cdef readonly bytes key
    cdef readonly bytes size_key
