# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""The first column of a line: when a call began."""

from collections.abc import Callable
from datetime import UTC

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.protocol.bodies.text_buffer import TextBuffer
from kafkasniff.render.times import SinceFirst, SincePrevious, utc_moment

_MOST_SECONDS = 1024
"""Seconds whose text is remembered."""

_DAY = "%Y-%m-%d "
_DAY_SECONDS = 86_400
_SECOND_NS = cython.declare(cython.longlong, 1_000_000_000)
_NO_SECOND = cython.declare(cython.longlong, -(1 << 62))
"""Before all times."""

TimeText = Callable[[int], str]
"""From a time (ns since 1970 UTC) to the text of the column."""


@cython.final
@cython.cclass
class ClockTime:
    """Time of day, in UTC or the local zone."""

    def __init__(self, local: bool, digits: int) -> None:
        """Begin with no time shown."""
        self.zone = None if local else UTC
        self.unit = 10 ** (9 - digits)
        self.digits = digits
        self.second_ns = _NO_SECOND
        self.text = b""
        self.texts: dict[int, bytes] = {}
        self.day = ""
        self.is_dated = False

    def __call__(self, nanoseconds: int) -> str:
        """Give the text of a time (ns since 1970 UTC)."""
        out = TextBuffer()
        self.write(out, nanoseconds)
        return str(out.taken(0), "ascii")

    def write(self, out: TextBuffer, nanoseconds: cython.longlong) -> cython.int:
        """Write the text of a time (ns since 1970 UTC)."""
        fraction: cython.longlong = nanoseconds - self.second_ns
        if fraction < 0 or fraction >= _SECOND_NS:
            self.begin(nanoseconds // _SECOND_NS)
            fraction = nanoseconds - self.second_ns
        if self.unit == 1000 and fraction % 1000:
            self.unit = 1
            self.digits = 9
        out.add(self.text)
        return out.padded(fraction // self.unit, self.digits)

    def begin(self, second: cython.longlong) -> cython.int:
        """Make what stands before the digits of a second."""
        self.second_ns = second * _SECOND_NS
        text: bytes | None = self.texts.get(second)
        if text is None:
            # A day before its end datetime has room for any zone.
            moment = utc_moment(second) if self.zone else utc_moment(second, _DAY_SECONDS).astimezone()
            day: str = moment.strftime(_DAY)
            # Calls that last long take turns with others, so that seconds come again.
            if len(self.texts) >= _MOST_SECONDS or day != self.day:
                self.texts.clear()
            self.is_dated = self.is_dated or day != (self.day or day)
            self.day = day
            text = ((day if self.is_dated else "") + moment.strftime("%H:%M:%S.")).encode()
            self.texts[second] = text
        self.text = text
        return 0


def time_column(mode: str, digits: int) -> TimeText:
    """Give the function for a `--time` mode: `absolute` (UTC), `local`, `relative` (to the first call) or `delta`.

    `digits`: of a second; of 6 there become 9 when a time has nanoseconds. Relative and delta times count in the order
    of calls shown. Times of day have a date from the first line on that is of another day than the one before.
    """
    if mode == "relative":
        return SinceFirst(digits)
    if mode == "delta":
        return SincePrevious(digits)
    return ClockTime(mode == "local", digits)
