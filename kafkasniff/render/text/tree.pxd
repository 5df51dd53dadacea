from kafkasniff.render.words cimport escape

cpdef list tree_lines(dict value, Py_ssize_t indent, Py_ssize_t width)
cdef _add_struct(list lines, dict struct, str first, str rest, Py_ssize_t width)
cdef _add_nested(list lines, value, str indent, Py_ssize_t width)
cpdef str value_text(str name, value)
