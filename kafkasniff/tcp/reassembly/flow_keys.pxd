cimport cython
from kafkasniff.octets cimport part

cdef Py_ssize_t _LONGEST, _MOST_TEXTS
cdef dict _TEXTS

cdef extern from *:
    """
    /* Makes a named tuple of two: to call its class takes eight times as long. */
    static inline PyObject *kafkasniff_pair(PyObject *kind, PyObject *first, PyObject *second) {
        PyObject *made = ((PyTypeObject *)kind)->tp_alloc((PyTypeObject *)kind, 2);
        if (made == NULL) return NULL;
        Py_INCREF(first);
        Py_INCREF(second);
        PyTuple_SET_ITEM(made, 0, first);
        PyTuple_SET_ITEM(made, 1, second);
        return made;
    }
    """
    object kafkasniff_pair(object kind, object first, object second)

cpdef reverse(key)
cpdef canonical(key)
@cython.locals(ends=bytes, width=Py_ssize_t, ports=Py_ssize_t, source=str, destination=str)
cpdef tuple endpoints(key)
@cython.locals(text=str)
cpdef str address_text(bytes packed)
@cython.locals(width=Py_ssize_t, place=Py_ssize_t, view="const unsigned char*")
cdef bint _is_canonical(bytes ends) except -1
@cython.locals(
    width=Py_ssize_t, size=Py_ssize_t, place=Py_ssize_t, made="unsigned char[36]", view="const unsigned char*",
)
cdef bytes _reverse_ends(bytes ends)
