# What other compiled modules use of tallies.py.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.capture.packets cimport Arrival

cdef class Names:
    cdef dict _names
    cdef public bint more

    cpdef add(self, name)

cdef class Addresses(Names):
    cdef str _last

cdef class Tally:
    cdef public Py_ssize_t count
    cdef public Arrival first, last
    cdef str _client
    cdef Names _clients, _topics
    cdef list _beginning
    cdef str _latest
    cdef long long _number

    # In `add`, properties would be looked up by their names.
    cdef Names _clients_made(self)
    cdef Names _topics_made(self)
    cdef _note_client(self, str client)
    cdef list _so_far(self)
    @cython.locals(call=Call, number="long long", beginning=list)
    cpdef add(self, Arrival arrival, str what, of=*, topic=*)
