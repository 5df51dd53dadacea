# Declares bodies.py, which is compiled since a filter on a field of bodies asks it for every call.

from kafkasniff.calls.call cimport Call, Frame
from kafkasniff.protocol.headers cimport RequestHeader
