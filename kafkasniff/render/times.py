"""Points in time as text."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache

NANOSECONDS = 1_000_000_000

_MOST_SECONDS = 1024
"""Seconds whose text is remembered."""

_DAY = "%Y-%m-%d "
_DAYS_OF_YEAR_9999 = 253_402_300_800
"""Seconds from 1970 to the year 10000, where datetime ends."""


def utc_text(nanoseconds: int, digits: int) -> str:
    """Give a time (ns since 1970 UTC) as `2026-11-20T12:00:00.123456Z` with 6 or 9 `digits` of a second."""
    second, fraction = divmod(nanoseconds, NANOSECONDS)
    text = _second_text(second)
    # As a format within an f-string the same takes twice the time.
    return f"{text}{str(fraction).zfill(9)}Z" if digits > 6 else f"{text}{str(fraction // 1000).zfill(6)}Z"


@lru_cache(maxsize=256)
def _second_text(second: int) -> str:
    return _utc(second).strftime("%Y-%m-%dT%H:%M:%S.")


def _utc(second: int) -> datetime:
    return datetime.fromtimestamp(min(max(second, 0), _DAYS_OF_YEAR_9999 - 1), UTC)


TimeText = Callable[[int], str]
"""From a time (ns since 1970 UTC) to the text of the terminal's first column."""


def time_column(mode: str, digits: int) -> TimeText:
    """Give the function for a `--time` mode: `absolute` (UTC), `local`, `relative` (to the first call) or `delta`.

    `digits`: of a second; of 6 there become 9 when a time has nanoseconds. Relative and delta times count in the order
    of calls shown. Times of day have a date from the first line on that is of another day than the one before.
    """
    if mode == "relative":
        return _SinceFirst(digits)
    if mode == "delta":
        return _SincePrevious(digits)
    return ClockTime(mode == "local", digits)


class ClockTime:
    """Time of day, in UTC or the local zone."""

    def __init__(self, local: bool, digits: int) -> None:
        """Begin with no time shown."""
        self._zone = None if local else UTC
        self._unit = 10 ** (9 - digits)
        self._ahead = 10**digits
        self._second = -1
        self._text = ""
        self._texts: dict[int, str] = {}
        """Of seconds that came before: calls that last long take turns with others."""
        self._day = ""
        self._dated = False

    @property
    def unit(self) -> int:
        """Give the nanoseconds that the last digit counts."""
        unit: int = self._unit
        return unit

    def __call__(self, nanoseconds: int) -> str:
        """Give the text of a time (ns since 1970 UTC)."""
        second, fraction = divmod(nanoseconds, NANOSECONDS)
        if second != self._second:
            self._begin(second)
        if fraction % 1000 and self._unit == 1000:
            self._unit, self._ahead = 1, NANOSECONDS
        # The digit ahead makes leading zeros, at half the time of a format.
        return self._text + str(self._ahead + fraction // self._unit)[1:]

    def of_seconds(self, seconds: Sequence[int]) -> list[str] | None:
        """Give what stands before the digits of different seconds, in ascending order.

        None where they are of several days, of which the first to be shown makes a difference.
        """
        first, last = (self._moment(second).date() for second in (seconds[0], seconds[-1]))
        if first != last or first.strftime(_DAY) != (self._day or first.strftime(_DAY)):
            return None
        texts = []
        for second in seconds:
            self._begin(second)
            texts.append(self._text)
        return texts

    def _moment(self, second: int) -> datetime:
        # A day before its end datetime has room for any zone.
        return _utc(second) if self._zone else _utc(min(second, _DAYS_OF_YEAR_9999 - 86_400)).astimezone()

    def _begin(self, second: int) -> None:
        self._second = second
        text = self._texts.get(second)
        if text is None:
            moment = self._moment(second)
            day = moment.strftime(_DAY)
            if len(self._texts) >= _MOST_SECONDS or day != self._day:
                self._texts.clear()
            self._dated = self._dated or day != (self._day or day)
            self._day = day
            text = self._texts[second] = (day if self._dated else "") + moment.strftime("%H:%M:%S.")
        self._text = text


class _SinceFirst:
    """Seconds since the first time given."""

    def __init__(self, digits: int) -> None:
        self._digits = digits
        self._first: int | None = None

    def __call__(self, nanoseconds: int) -> str:
        if self._first is None:
            self._first = nanoseconds
        self._digits = _digits(self._digits, nanoseconds)
        return f"{(nanoseconds - self._first) / NANOSECONDS:+{self._digits + 5}.{self._digits}f}"


class _SincePrevious:
    """Seconds since the time given before."""

    def __init__(self, digits: int) -> None:
        self._digits = digits
        self._previous: int | None = None

    def __call__(self, nanoseconds: int) -> str:
        previous, self._previous = self._previous, nanoseconds
        passed = 0 if previous is None else nanoseconds - previous
        self._digits = _digits(self._digits, nanoseconds)
        return f"{passed / NANOSECONDS:+{self._digits + 5}.{self._digits}f}"


def _digits(digits: int, nanoseconds: int) -> int:
    return 9 if digits == 6 and nanoseconds % 1000 else digits
