# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Times and durations in lines of JSON."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.protocol.bodies.text_buffer import TextBuffer
from kafkasniff.render.json.found import milliseconds_text
from kafkasniff.render.times import second_text

_SECOND_NS = cython.declare(cython.longlong, 1_000_000_000)
_NO_SECOND = cython.declare(cython.longlong, -(1 << 62))
"""Before all times."""
# Numbers of more than 31 bits in the text of a function would be Python's.
_LONGEST_NS = cython.declare(cython.longlong, 1_000_000_000_000_000)
"""Durations up to this are written here: those above print with fewer decimals."""


@cython.final
@cython.cclass
class TimesWriter:
    """Writes times, of which the date and second are made once for all in the same second, and durations."""

    def __init__(self, out: TextBuffer) -> None:
        """Write into `out`."""
        self.out = out
        self.second_ns = _NO_SECOND
        self.second_text = b""

    def write_time(self, nanoseconds: cython.longlong, digits: cython.int) -> cython.int:
        """Write a time as `utc_text` does, but for the `Z`; with nine decimals where `digits` are more than six."""
        fraction: cython.longlong = nanoseconds - self.second_ns
        if fraction < 0 or fraction >= _SECOND_NS:
            second: cython.longlong = nanoseconds // _SECOND_NS
            self.second_ns = second * _SECOND_NS
            self.second_text = second_text(second).encode()
            fraction = nanoseconds - self.second_ns
        self.out.add(self.second_text)
        if digits > 6:
            return self.out.padded(fraction, 9)
        return self.out.padded(fraction // 1000, 6)

    def write_milliseconds(self, nanoseconds: cython.longlong) -> cython.int:
        """Write a duration in milliseconds, as a float prints."""
        out: TextBuffer = self.out
        if nanoseconds < 100 or nanoseconds > _LONGEST_NS:
            return out.add(milliseconds_text(nanoseconds).encode())
        # Unsigned numbers are divided faster.
        positive: cython.ulonglong = nanoseconds
        whole: cython.ulonglong = positive // 1_000_000
        fraction: cython.uint = positive - whole * 1_000_000
        digits: cython.int = 6
        if fraction % 1000 == 0:
            fraction //= 1000
            digits = 3
        while digits > 1 and fraction % 10 == 0:
            fraction //= 10
            digits -= 1
        out.number(whole)
        out.byte(0x2E)
        return out.padded(fraction, digits)
