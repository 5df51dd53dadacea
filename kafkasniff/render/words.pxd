cpdef str escape(str text)
cpdef str show(value, Py_ssize_t length=*)
