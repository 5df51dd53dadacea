from kafkasniff.calls.enrichment.fetch_sessions cimport Covered, SessionStep
from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer

cdef int write_errors(TextBuffer out, list errors, list response_errors) except -1
cdef int write_topics(TextBuffer out, names) except -1
cdef bytes session_text(TextBuffer out, SessionStep step, Covered covered)
