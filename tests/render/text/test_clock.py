import time
from collections.abc import Iterator

import pytest

from kafkasniff.render.text.clock import ClockTime, time_column, time_title

NOON = 1_795_176_000_000_000_000
"""2026-11-20T12:00:00Z, by GNU date: `date -u -d @1795176000`."""


@pytest.fixture
def india(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_absolute() -> None:
    column = time_column("absolute", 6)
    assert column(NOON + 1_500_000) == "12:00:00.001500"
    assert time_column("absolute", 3)(NOON + 1_500_000) == "12:00:00.001"


@pytest.mark.parametrize(("mode", "expected"), [("absolute", "12:00:00."), ("relative", "  +0."), ("delta", "  +0.")])
def test_nanoseconds_take_nine_digits_where_there_is_room(mode: str, expected: str) -> None:
    column = time_column(mode, 6)
    assert column(NOON) == f"{expected}000000".rjust(11)
    assert column(NOON + 1) == f"{expected}000000001"
    assert column(NOON + 1)[-10:-9] == "."
    narrow = time_column(mode, 3)
    assert len(narrow(NOON)) == len(narrow(NOON + 1))


def test_the_day_is_that_of_the_time_taken() -> None:
    column = time_column("absolute", 3)
    assert isinstance(column, ClockTime)
    assert [(column(NOON + passed), column.day) for passed in (0, 43_200_000_000_000, 0)] == [
        ("12:00:00.000", "2026-11-20"),
        ("00:00:00.000", "2026-11-21"),
        ("12:00:00.000", "2026-11-20"),
    ]


@pytest.mark.usefixtures("india")
def test_days_are_those_of_the_zone() -> None:
    column = time_column("local", 3)
    assert isinstance(column, ClockTime)
    assert [(column(NOON + passed), column.day) for passed in (0, 23_400_000_000_000)] == [
        ("17:30:00.000", "2026-11-20"),
        ("00:00:00.000", "2026-11-21"),
    ]


@pytest.mark.usefixtures("india")
def test_the_title_says_the_zone() -> None:
    assert [time_title(mode, NOON) for mode in ("absolute", "local", "relative", "delta")] == [
        "UTC",
        "IST",
        "relative",
        "delta",
    ]


@pytest.mark.usefixtures("india")
def test_local() -> None:
    assert time_column("local", 3)(NOON) == "17:30:00.000"


def test_relative_counts_from_the_first() -> None:
    column = time_column("relative", 3)
    assert [column(NOON).strip(), column(NOON + 2_250_000_000).strip(), column(NOON - 1_000_000).strip()] == [
        "+0.000",
        "+2.250",
        "-0.001",
    ]


def test_delta_counts_from_the_one_before() -> None:
    column = time_column("delta", 3)
    assert [column(NOON).strip(), column(NOON + 2_000_000_000).strip(), column(NOON + 2_500_000_000).strip()] == [
        "+0.000",
        "+2.000",
        "+0.500",
    ]


@pytest.mark.usefixtures("india")
def test_the_last_local_time_that_a_packet_may_have() -> None:
    # 2262-04-11T23:47:16.854775807Z
    assert time_column("local", 6)(2**63 - 1) == "05:17:16.854775807"
