import time

import pytest

from kafkasniff.filters.errors import FilterError
from kafkasniff.filters.values import (
    Moment,
    address,
    connection,
    duration_ns,
    glob,
    literals,
    number,
    port,
    regular_expression,
    size_bytes,
)
from tests.render.made_calls import NOON

SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("100ms", 100_000_000), ("1.5 s", 1_500_000_000), ("2S", 2_000_000_000), ("10us", 10_000), ("10µs", 10_000),
        ("7ns", 7), ("1m", 60_000_000_000), ("2min", 120_000_000_000), ("1h", 3_600_000_000_000), ("0", 0),
    ],
)  # fmt: skip
def test_durations(text: str, nanoseconds: int) -> None:
    assert duration_ns(text) == nanoseconds


def test_a_bare_number_is_asked_about_unless_it_has_a_unit() -> None:
    assert duration_ns("100", "ms") == 100_000_000
    with pytest.raises(FilterError, match=r"^'1500' has no unit: 1500s or 1500ms\?$"):
        duration_ns("1500")


@pytest.mark.parametrize("text", ["", "ms", "-5ms", "5 parsecs", "1e3", "5ms5", "9" * 400 + "s", "٣s"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(FilterError, match="is no duration such as"):
        duration_ns(text, "ms")


@pytest.mark.parametrize(
    ("text", "size"),
    [("512", 512), ("64kB", 64_000), ("1MB", 1_000_000), ("1MiB", 1_048_576), ("1.5 kb", 1500), ("2G", 2 * 10**9)],
)
def test_sizes(text: str, size: int) -> None:
    assert size_bytes(text) == size


def test_numbers() -> None:
    assert [number(text) for text in ("-1", "7", "1.5")] == [-1, 7, 1.5]
    assert port("65535") == 65535
    for text in ("", "x", "1e9", "--1", "٣"):
        with pytest.raises(FilterError, match="is no number"):
            number(text)
    for text in ("-1", "65536", "http"):
        with pytest.raises(FilterError, match="is no port"):
            port(text)


@pytest.mark.parametrize(
    ("text", "first", "expected"),
    [
        ("2026-11-20T12:00:00Z", 0, NOON),
        ("2026-11-20T12:00:00", 0, NOON),
        ("2026-11-20 14:00:00.000001+02:00", 0, NOON + 1000),
        ("2026-11-20T12:00:00.123456789Z", 0, NOON + 123_456_789),
        ("2026-11-20", 0, NOON - 12 * 3600 * SECOND),
        ("1969-12-31T23:59:59Z", 0, -SECOND),
        ("+5", NOON, NOON + 5 * SECOND),
        ("+250ms", NOON, NOON + SECOND // 4),
        # A clock time is one of the day of the first packet.
        ("12:00", NOON + 3600 * SECOND, NOON),
        ("13:00:01.5", NOON + 7, NOON + 3601 * SECOND + SECOND // 2),
        ("00:00:00.000000001", NOON, NOON - 12 * 3600 * SECOND + 1),
    ],
)
def test_moments(text: str, first: int, expected: int) -> None:
    moment = Moment(text)
    moment.start_at(first)
    assert moment.time == expected


@pytest.mark.parametrize("text", ["yesterday", "", "2026-13-01", "25:00", "12:61", "12:00:99", "+x", "+"])
def test_what_is_no_moment(text: str) -> None:
    with pytest.raises(FilterError, match=r"is no (time|duration)"):
        Moment(text)


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("orders", "orders", True), ("orders", "orders2", False), ("orders*", "orders2", True), ("*", "", True),
        ("*-c?", "shop-c1", True), ("*-c?", "shop-c10", False), ("a*b*c", "aXbYbZc", True), ("a*b*c", "acb", False),
        ("*a*a", "a", False), ("*a*a", "aa", True), (r"a\*", "a*", True), (r"a\*", "ab", False), ("a.c", "abc", False),
        ("[a]", "a", False), ("a?c", "a\nc", True), ("*ab", "aab", True), ("?*", "", False), ("", "", True),
    ],
)  # fmt: skip
def test_globs(pattern: str, text: str, fits: bool) -> None:
    assert glob(pattern)(text) is fits


def test_what_a_glob_must_hold() -> None:
    assert [literals(text) for text in ("orders-*", "*", r"a\*b?cdef", "abc")] == ["orders-", "", "cdef", "abc"]


@pytest.mark.parametrize(
    ("pattern", "end", "fits"),
    [
        ("10.0.0.7", "10.0.0.7:51234", True), ("10.0.0.7", "10.0.0.70:51234", False),
        ("10.0.0.7:9092", "10.0.0.7:9092", True), ("10.0.0.7:9092", "10.0.0.7:90921", False),
        ("10.0.0.0/8", "10.200.3.4:1", True), ("10.0.0.0/8", "11.0.0.0:1", False), ("10.0.0.7/8", "10.1.1.1:1", True),
        ("10.0.*", "10.0.9.9:5", True), ("*:9092", "10.0.0.1:9092", True), ("*:9092", "10.0.0.1:19092", False),
        ("::1", "[::1]:9092", True), ("[::1]", "[::1]:9092", True), ("[::1]:9092", "[::1]:9092", True),
        ("[0:0::1]:9092", "[::1]:9092", True), ("fe80::/10", "[fe80::1]:9092", True), ("::/0", "10.0.0.1:1", False),
    ],
)  # fmt: skip
def test_addresses(pattern: str, end: str, fits: bool) -> None:
    assert address(pattern)(end) is fits


@pytest.mark.parametrize("text", ["", "foo", "foo:9092", "10.0.0", "10.0.0.1:", "10.0.0.1:99999", "10.0.0.0/99", "f*o"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(FilterError, match=r"is no address such as 10\.0\.0\.7"):
        address(text)


def test_connections() -> None:
    name = "10.0.0.1:51234-[::1]:9092"
    assert all(connection(text)(name) for text in (name, "10.0.0.1-*:9092", "10.0.0.0/24-::1", "*-*"))
    assert not any(connection(text)(name) for text in ("10.0.0.1:5123-[::1]:9092", "[::1]:9092-10.0.0.1:51234"))
    for text in ("foo", "10.0.0.1:51234", "a-b", "-"):
        with pytest.raises(FilterError, match="is no connection such as"):
            connection(text)


def test_regular_expressions() -> None:
    assert regular_expression("^or.ers$")("orders")
    assert not regular_expression("^rders")("orders")
    with pytest.raises(FilterError, match=r"'\(a' is no regular expression: missing \)"):
        regular_expression("(a")
    with pytest.raises(FilterError, match="is no regular expression"):
        regular_expression("(.{999}){999}")
    with pytest.raises(FilterError, match="is no regular expression"):
        regular_expression("\udc80")
    with pytest.raises(FilterError, match="a pattern of 2,000 characters; 1,000 are read at most"):
        regular_expression("a" * 2000)


@pytest.mark.parametrize("test", [regular_expression("(a+)+$"), regular_expression("(a|aa)+b"), glob("*a" * 400 + "b")])
def test_no_text_from_the_wire_takes_long(test: object) -> None:
    # With backtracking, the first two take 2^n steps.
    begin = time.process_time()
    assert callable(test)
    assert not test("a" * 30_000 + "c")
    assert time.process_time() - begin < 2
