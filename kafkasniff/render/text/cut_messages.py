# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Says which messages the capture has in part only."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call
from kafkasniff.calls.frame import Frame
from kafkasniff.protocol.bodies.text_buffer import TextBuffer


def write_cut(out: TextBuffer, call: Call) -> cython.int:
    """Say which of a call's messages are cut; what their bodies then lack follows from it."""
    request, response = call.request, call.response
    start: cython.Py_ssize_t = out.size
    if request is not None and len(request.data) != request.size:
        _write_side(out, b"request cut: ", request)
    if response is not None and len(response.data) != response.size:
        if out.size > start:
            out.add(b", ")
        _write_side(out, b"response cut: ", response)
    return 0


def _write_side(out: TextBuffer, before: bytes, frame: Frame) -> cython.int:
    """Say how much of a message there is."""
    out.add(before)
    _write_count(out, len(frame.data))
    out.add(b" of ")
    _write_count(out, frame.size)
    return out.add(b" byte" if frame.size == 1 else b" bytes")


def _write_count(out: TextBuffer, count: cython.longlong) -> cython.int:
    """Write a number with a comma before every third digit."""
    if count < 1_000:
        return out.number(count)
    _write_count(out, count // 1_000)
    out.byte(44)
    return out.padded(count % 1_000, 3)
