"""Points in time as text."""

from datetime import UTC, datetime
from functools import lru_cache

NANOSECONDS = 1_000_000_000

_YEAR_10000 = 253_402_300_800
"""Seconds from 1970 to the year 10000, where datetime ends."""


def utc_text(nanoseconds: int, digits: int) -> str:
    """Give a time (ns since 1970 UTC) as `2026-11-20T12:00:00.123456Z` with 6 or 9 `digits` of a second."""
    second, fraction = divmod(nanoseconds, NANOSECONDS)
    text = second_text(second)
    # As a format within an f-string the same takes twice the time.
    return f"{text}{str(fraction).zfill(9)}Z" if digits > 6 else f"{text}{str(fraction // 1000).zfill(6)}Z"


@lru_cache(maxsize=256)
def second_text(second: int) -> str:
    """Give a time up to its full second."""
    return utc_moment(second).strftime("%Y-%m-%dT%H:%M:%S.")


def utc_moment(second: int, room: int = 1) -> datetime:
    """Give a second (since 1970 UTC), at least `room` seconds before the last that datetime has."""
    return datetime.fromtimestamp(min(max(second, 0), _YEAR_10000 - room), UTC)


class SinceFirst:
    """Seconds since the first packet of a capture."""

    def __init__(self, digits: int) -> None:
        """Write so many digits of a second."""
        self._digits = digits
        self.first: int | None = None
        """Nanoseconds since 1970 UTC; the first time given where nobody set it before."""

    def __call__(self, nanoseconds: int) -> str:
        """Give the text of a time (ns since 1970 UTC)."""
        if self.first is None:
            self.first = nanoseconds
        self._digits = _digits(self._digits, nanoseconds)
        # Cut off as times of the clock are, so that a text is never a time that comes after.
        units = (nanoseconds - self.first) // 10 ** (9 - self._digits)
        second, fraction = divmod(abs(units), 10**self._digits)
        return f"{'-' if units < 0 else '+'}{second}.{fraction:0{self._digits}}".rjust(self._digits + 5)


class SincePrevious:
    """Seconds since the latest of the times given before; 0 where that is later."""

    def __init__(self, digits: int) -> None:
        """Write so many digits of a second."""
        self._digits = digits
        self._latest: int | None = None

    def __call__(self, nanoseconds: int) -> str:
        """Give the text of a time (ns since 1970 UTC)."""
        latest = nanoseconds if self._latest is None else max(self._latest, nanoseconds)
        passed = 0 if self._latest is None else latest - self._latest
        self._latest = latest
        self._digits = _digits(self._digits, nanoseconds)
        return f"{passed / NANOSECONDS:+{self._digits + 5}.{self._digits}f}"


def _digits(digits: int, nanoseconds: int) -> int:
    return 9 if digits == 6 and nanoseconds % 1000 else digits
