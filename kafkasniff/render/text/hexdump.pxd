from kafkasniff.render.words cimport show

cdef str _value_text(value)
cdef str _hex(bytes data)
