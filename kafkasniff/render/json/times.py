# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Times and durations in lines of JSON: each is written from a place on, and gives where it ends."""

from typing import Any

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.render.json.found import milliseconds_text
from kafkasniff.render.times import second_text

if not cython.compiled:
    from kafkasniff.protocol.bodies.uncompiled_text import kafkasniff_add, kafkasniff_number, kafkasniff_zeros

LONGEST = 64
"""Bytes that a time or a duration takes at most, and what may be overwritten behind it."""
_SECOND_NS = cython.declare(cython.longlong, 1_000_000_000)
_NO_SECOND = cython.declare(cython.longlong, -(1 << 62))
"""Before all times."""
# Numbers of more than 31 bits in the text of a function would be Python's.
_LONGEST_NS = cython.declare(cython.longlong, 1_000_000_000_000_000)
"""Durations up to this are written here: those above print with fewer decimals."""
_POINT = cython.declare(bytes, b".")


@cython.final
@cython.cclass
class Seconds:
    """Writes times, of which the date and second are made once for all in the same second."""

    def __init__(self) -> None:
        """Begin with no second."""
        self.second_ns = _NO_SECOND
        self.text = b""

    def write_time(self, to: Any, nanoseconds: cython.longlong, digits: cython.int) -> Any:
        """Write a time as `utc_text` does, but for the `Z`; with nine decimals where `digits` are more than six."""
        fraction: cython.longlong = nanoseconds - self.second_ns
        if fraction < 0 or fraction >= _SECOND_NS:
            second: cython.longlong = nanoseconds // _SECOND_NS
            self.second_ns = second * _SECOND_NS
            self.text = second_text(second).encode()
            fraction = nanoseconds - self.second_ns
        to = kafkasniff_add(to, self.text)
        # Unsigned numbers are divided faster.
        positive: cython.uint = fraction
        return kafkasniff_zeros(to, positive, 9) if digits > 6 else kafkasniff_zeros(to, positive // 1000, 6)


def write_milliseconds(to: Any, nanoseconds: cython.longlong) -> Any:
    """Write a duration in milliseconds, as a float prints."""
    if nanoseconds < 100 or nanoseconds > _LONGEST_NS:
        return kafkasniff_add(to, milliseconds_text(nanoseconds).encode())
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
    to = kafkasniff_number(to, whole)
    to = kafkasniff_add(to, _POINT)
    return kafkasniff_zeros(to, fraction, digits)
