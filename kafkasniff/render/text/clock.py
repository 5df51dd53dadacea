# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""The column of times."""

from collections.abc import Callable
from datetime import UTC

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.render.times import SinceFirst, SincePrevious, utc_moment

_MOST_SECONDS = 1024
"""Seconds whose text is remembered."""

_DAY_SECONDS = 86_400
_SECOND_NS = cython.declare(cython.longlong, 1_000_000_000)
_NO_SECOND = cython.declare(cython.longlong, -(1 << 62))
"""Before all times."""

TimeText = Callable[[int], str]
"""From a time (ns since 1970 UTC) to the text of the column."""


@cython.final
@cython.cclass
class ClockTime:
    """Time of day, in UTC or the local zone; `day` is the day of the last time taken, as `2026-11-20`."""

    def __init__(self, local: bool, digits: int) -> None:
        """Begin with no time shown; of 6 digits of a second there become 9 when a time has nanoseconds."""
        self.zone = None if local else UTC
        self.unit = 10 ** (9 - digits)
        self.digits = digits
        self.second_ns = _NO_SECOND
        self.text = b""
        self.texts: dict[int, tuple[bytes, str]] = {}
        self.day = ""

    def __call__(self, nanoseconds: int) -> str:
        """Give the text of a time (ns since 1970 UTC)."""
        self.take(nanoseconds)
        fraction = (nanoseconds - self.second_ns) // self.unit
        return f"{self.text.decode()}{fraction:0{self.digits}d}"

    def take(self, nanoseconds: cython.longlong) -> cython.int:
        """Take a time: `text` is then what stands before the digits of its second, `day` its day."""
        fraction: cython.longlong = nanoseconds - self.second_ns
        if fraction < 0 or fraction >= _SECOND_NS:
            self.begin(nanoseconds // _SECOND_NS)
        if self.unit == 1000 and (nanoseconds - self.second_ns) % 1000:
            self.unit = 1
            self.digits = 9
        return 0

    def begin(self, second: cython.longlong) -> cython.int:
        """Make what stands before the digits of a second."""
        self.second_ns = second * _SECOND_NS
        # Requests of calls that last long take turns with others, so that seconds come again.
        made: tuple | None = self.texts.get(second)  # type: ignore[type-arg]
        if made is None:
            # A day before its end datetime has room for any zone.
            moment = utc_moment(second) if self.zone else utc_moment(second, _DAY_SECONDS).astimezone()
            if len(self.texts) >= _MOST_SECONDS:
                self.texts.clear()
            made = moment.strftime("%H:%M:%S.").encode(), moment.strftime("%Y-%m-%d")
            self.texts[second] = made
        self.text = made[0]
        if made[1] != self.day:
            self.day = made[1]
        return 0


def time_column(mode: str, digits: int) -> TimeText:
    """Give the function for a `--time` mode: `absolute` (UTC), `local`, `relative` (to the first packet) or `delta`.

    `digits`: of a second. Delta times count in the order of calls shown.
    """
    if mode == "relative":
        return SinceFirst(digits)
    if mode == "delta":
        return SincePrevious(digits)
    return ClockTime(mode == "local", digits)


def time_title(mode: str, nanoseconds: int) -> str:
    """Say which times a `--time` mode shows, for the title of their column: the zone, at the first of them."""
    if mode == "local":
        return utc_moment(nanoseconds // 1_000_000_000, _DAY_SECONDS).astimezone().tzname() or "local"
    # Any other title than these short ones is wider than the times.
    return "UTC" if mode == "absolute" else mode
