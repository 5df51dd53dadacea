"""What stands behind an operator: durations, sizes, numbers, times, addresses, globs and regular expressions."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from ipaddress import ip_address, ip_network

from kafkasniff.filters.errors import FilterError

_SECOND = 1_000_000_000
_DURATIONS_NS = {
    "ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000, "s": _SECOND, "m": 60 * _SECOND,
    "min": 60 * _SECOND, "h": 3600 * _SECOND,
}  # fmt: skip
_SIZES = {
    "": 1, "b": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3, "k": 1000, "m": 1000**2, "g": 1000**3, "kib": 1 << 10,
    "mib": 1 << 20, "gib": 1 << 30,
}  # fmt: skip
_WITH_UNIT = re.compile(r"(\d{1,12}(?:\.\d{1,12})?)\s*([a-zµμ]*)", re.ASCII | re.IGNORECASE)
_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{1,12})?", re.ASCII)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?", re.ASCII)
_ISO_FRACTION = re.compile(r"\.(\d{6})(\d{1,3})(?!\d)", re.ASCII)
_SECOND_DIGITS = re.compile(r"\.(\d{1,9})(?!\d|m|u|µ|μ|n|h)", re.ASCII)
_DAY = 86_400 * _SECOND
_ADDRESS_GLOB = re.compile(r"[0-9A-Fa-f.:*?\[\]]+", re.ASCII)
_LONGEST_PATTERN = 1000
"""Characters of a glob or a regular expression."""

Test = Callable[[str], bool]


def duration_ns(text: str, bare: str = "") -> int:
    """Give a duration such as `100ms`, `2s` or `1.5m` in nanoseconds; a bare number is in units of `bare`.

    Raises FilterError, also for a bare number where none may be.
    """
    match = _WITH_UNIT.fullmatch(text.strip())
    unit = (match[2] or bare).lower() if match else None
    if match is not None and not unit and float(match[1]):
        number = match[1]
        raise FilterError(f"{text!r} has no unit: {number}s or {number}ms?", text)
    if match is None or (unit not in _DURATIONS_NS and unit):
        raise FilterError(f"{text!r} is no duration such as 100ms, 2s or 1m", text)
    return round(float(match[1]) * _DURATIONS_NS[unit]) if unit else 0


def size_bytes(text: str) -> int:
    """Give a size such as `512`, `64kB`, `1MB` or `1MiB` in bytes; raises FilterError."""
    match = _WITH_UNIT.fullmatch(text.strip())
    unit = _SIZES.get(match[2].lower()) if match else None
    if match is None or unit is None:
        raise FilterError(f"{text!r} is no size such as 512, 64kB or 1MB", text)
    return round(float(match[1]) * unit)


def number(text: str) -> int | float:
    """Give a number; raises FilterError."""
    if _NUMBER.fullmatch(text.strip()) is None:
        raise FilterError(f"{text!r} is no number", text)
    return float(text) if "." in text else int(text)


def port(text: str) -> int:
    """Give the number of a port; raises FilterError."""
    if not text.isdecimal() or len(text) > 5 or int(text) > 65_535:
        raise FilterError(f"{text!r} is no port: a number up to 65535", text)
    return int(text)


class Moment:
    """A point in time: of the calendar, of the clock on the capture's first day, or counted from its first packet."""

    def __init__(self, text: str) -> None:
        """Read ISO 8601 (UTC where it names no zone), a clock time such as `12:00:01.5`, or `+` and a duration.

        Raises FilterError.
        """
        self._of_day: int | None = None
        self._after: int | None = None
        self.time = 0
        """In ns since 1970, once it is known when the first packet came."""
        digits = _SECOND_DIGITS.search(text)
        self._unit = 10 ** (9 - len(digits[1])) if digits else 1
        if text.startswith("+"):
            # A bare number is in seconds.
            self._after = duration_ns(text[1:], "s")
        elif match := _CLOCK.fullmatch(text):
            hours, minutes, seconds, fraction = match[1], match[2], match[3] or "0", (match[4] or "").ljust(9, "0")
            self._of_day = ((int(hours) * 60 + int(minutes)) * 60 + int(seconds)) * _SECOND + int(fraction)
            if self._of_day >= _DAY or int(minutes) > 59 or int(seconds) > 59:
                raise FilterError(f"{text!r} is no time of a day", text)
        else:
            self.time = _calendar_ns(text)

    def at_most(self, time: int) -> int:
        """Give a time, in ns since 1970, with as many digits of a second as this has been written with."""
        return self.time + (time - self.time) // self._unit * self._unit

    def start_at(self, first: int) -> None:
        """Take the time of the first packet."""
        if self._after is not None:
            self.time = first + self._after
        elif self._of_day is not None:
            self.time = first - first % _DAY + self._of_day


def _calendar_ns(text: str) -> int:
    """Give a time of the calendar in ns since 1970; Python's own goes to microseconds. Raises FilterError."""
    fraction = _ISO_FRACTION.search(text)
    shorter = text[: fraction.end(1)] + text[fraction.end() :] if fraction else text
    try:
        time = datetime.fromisoformat(shorter)
    except ValueError:
        example = "2026-11-20T12:00:00Z, 12:00:00 or +5s"
        raise FilterError(f"{text!r} is no time such as {example}", text) from None
    since_1970 = (time if time.tzinfo else time.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
    nanoseconds = int(fraction[2].ljust(3, "0")) if fraction else 0
    return (since_1970.days * 86_400 + since_1970.seconds) * _SECOND + since_1970.microseconds * 1000 + nanoseconds


def glob(text: str) -> Test:
    r"""Give what tells whether a text is like `text`: `*` stands for any characters, `?` for one, `\*` for a star.

    Each piece between stars is looked for once, from where the one before it ended: no pattern takes long.
    """
    if len(text) > _LONGEST_PATTERN:
        raise FilterError(f"a pattern of {len(text):,} characters; {_LONGEST_PATTERN:,} are read at most", text)
    pieces, literal, escaped = [""], True, False
    for each in text:
        if not escaped and each == "\\":
            escaped = True
            continue
        if not escaped and each in "*?":
            literal = False
        if each == "*" and not escaped:
            pieces.append("")
        else:
            pieces[-1] += "." if each == "?" and not escaped else re.escape(each)
        escaped = False
    if literal:
        return _unescaped(text).__eq__
    first, *others = pieces
    between = "".join(f"(?>.*?{piece})" for piece in others[:-1])
    matches = re.compile(first + between + "".join(f".*{piece}" for piece in others[-1:]), re.DOTALL).fullmatch
    return lambda value: matches(value) is not None


def literals(text: str) -> str:
    """Give the longest part of a glob that whatever it fits holds."""
    parts = re.split(r"(?<!\\)[*?]", text)
    return max((_unescaped(part) for part in parts), key=len)


def regular_expression(text: str, in_any_case: bool = False) -> Test:
    """Give what tells whether a text has a part that fits an expression in RE2's syntax, or does in another case.

    RE2 takes time in proportion to the text: what is matched comes from the wire. Raises FilterError.
    """
    import re2

    if len(text) > _LONGEST_PATTERN:
        raise FilterError(f"a pattern of {len(text):,} characters; {_LONGEST_PATTERN:,} are read at most", text)
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not in_any_case
    try:
        search = re2.compile(text, options).search
    except (re2.error, UnicodeEncodeError) as error:
        why = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else error
        raise FilterError(f"{text!r} is no regular expression: {why}", text) from None
    return lambda value: search(value) is not None


def address(text: str) -> Test:
    """Give what tells whether an address such as `10.0.0.1:9092` is meant by `text`.

    That is an address with or without a port, a network (`10.0.0.0/8`), or a glob of either. Raises FilterError.
    """
    bare = text.strip("[]")
    if "*" in text or "?" in text:
        if _ADDRESS_GLOB.fullmatch(text) is None:
            raise _no_address(text)
        fits = glob(text)
        return lambda end: fits(end) or fits(_host(end))
    try:
        if "/" in bare:
            network = ip_network(bare, strict=False)
            return lambda end: ip_address(_host(end)) in network
        host = str(ip_address(bare))
        return lambda end: _host(end) == host
    except ValueError:
        host, _, port = text.rpartition(":")
        if not port.isdecimal() or int(port) > 65_535:
            raise _no_address(text) from None
    try:
        wanted = ip_address(host.strip("[]"))
    except ValueError:
        raise _no_address(text) from None
    return (f"[{wanted}]:{port}" if wanted.version == 6 else f"{wanted}:{port}").__eq__


def connection(text: str) -> Test:
    """Give what tells whether a connection, `client-server`, is meant by `text`, whose sides are as for `address`.

    Raises FilterError.
    """
    client, dash, server = text.partition("-")
    if not dash:
        raise FilterError(f"{text!r} is no connection such as 10.0.0.1:51234-10.0.0.2:9092", text)
    try:
        is_client, is_server = (address(str(side)) for side in (client, server))
    except FilterError as error:
        raise FilterError(f"{text!r} is no connection such as 10.0.0.1:51234-10.0.0.2:9092: {error}", text) from None

    def test(value: str) -> bool:
        sides = value.partition("-")
        return is_client(sides[0]) and is_server(sides[2])

    return test


def _host(end: str) -> str:
    return end.rpartition(":")[0].strip("[]")


def _no_address(text: str) -> FilterError:
    return FilterError(f"{text!r} is no address such as 10.0.0.7, 10.0.0.7:9092, 10.0.0.0/8 or 10.0.*", text)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
