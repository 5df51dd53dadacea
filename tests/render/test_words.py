import pytest

from kafkasniff.render.words import (
    cells,
    count_text,
    duration_text,
    escape,
    pad,
    shorten,
    shorten_inside,
    shorten_words,
    show,
    size_text,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("orders", "orders"),
        ("größe 日本 🚀", "größe 日本 🚀"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\r\n\tb\0", "a\\x0d\\x0a\\x09b\\x00"),
        ("\x9b31m\x7f", "\\x9b31m\\x7f"),
        ("\u202eevil\u2069", "\\u202eevil\\u2069"),
        ("\u200b\ufeff", "\\u200b\\ufeff"),
        ("\U000e0041", "\\U000e0041"),
        ("line\u2028end", "line\\u2028end"),
        ("no\u00a0break", "no\\xa0break"),
    ],
    ids=ascii,
)
def test_escape(text: str, expected: str) -> None:
    assert escape(text) == expected


def test_shorten() -> None:
    assert shorten("orders", 6) == "orders"
    assert shorten("orders", 5) == "orde…"
    assert shorten("orders", 0) == "…"


def test_show_escapes_after_cutting_and_cuts_again() -> None:
    assert show("\x1b" * 100, 10) == "\\x1b\\x1b\\…"
    assert show(12) == "12"


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (64_200, "64.2 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (999_949_999, "999.9 MB"),
        (2_000_000_000, "2.0 GB"),
    ],
)
def test_size_text(size: int, expected: str) -> None:
    assert size_text(size) == expected


@pytest.mark.parametrize(
    ("nanoseconds", "expected"),
    [
        (None, "-"),
        (0, "0 µs"),
        (820_400, "820 µs"),
        (999_499, "999 µs"),
        (999_500, "1.00 ms"),
        (1_234_000, "1.23 ms"),
        (45_600_000, "45.6 ms"),
        (456_000_000, "456 ms"),
        (999_500_000, "1.00 s"),
        (12_345_000_000, "12.35 s"),
        (120_000_000_000, "120 s"),
        (7_199_000_000_000, "7199 s"),
        (9_000_000_000_000, "2.5 h"),
        (21_254_463_000_000_000, "246 d"),
        (-3_000, "-3 µs"),
    ],
)
def test_duration_text(nanoseconds: int | None, expected: str) -> None:
    assert duration_text(nanoseconds) == expected


def test_count_text() -> None:
    assert count_text(1, "call") == "1 call"
    assert count_text(12_345, "call") == "12,345 calls"
    assert count_text(0, "copy", "copies") == "0 copies"


def test_texts_are_cut_by_the_columns_they_take() -> None:
    assert cells("日本") == 4
    assert shorten("日本語", 5) == "日本…"
    assert shorten("日本語", 6) == "日本語"
    assert shorten_words("orders-0 20 records", 12) == "orders-0 20…"
    assert shorten_words("orders-0 20 records", 10) == "orders-0 …"
    assert shorten_words("orders-0", 5) == "orde…"
    assert shorten_inside("billing-consumer-commit-1", 12) == "bill…ommit-1"
    assert pad("日", 4) + "|" == "日  |"
