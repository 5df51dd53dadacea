import pytest

from kafkasniff.render.times import utc_text

NOON = 1_795_176_000_000_000_000
"""2026-11-20T12:00:00Z, by GNU date: `date -u -d @1795176000`."""


@pytest.mark.parametrize(
    ("nanoseconds", "digits", "expected"),
    [
        (NOON, 6, "2026-11-20T12:00:00.000000Z"),
        (NOON + 123_456_789, 6, "2026-11-20T12:00:00.123456Z"),
        (NOON + 123_456_789, 9, "2026-11-20T12:00:00.123456789Z"),
        (0, 6, "1970-01-01T00:00:00.000000Z"),
        (951_782_400_000_000_000, 6, "2000-02-29T00:00:00.000000Z"),
        (2**62, 6, "2116-02-20T23:53:38.427387Z"),
    ],
)
def test_utc_text(nanoseconds: int, digits: int, expected: str) -> None:
    assert utc_text(nanoseconds, digits) == expected


def test_times_beyond_the_calendar_do_not_fail() -> None:
    assert utc_text(2**63 * 1000, 6).startswith("9999-12-31T23:59:59.")
    assert utc_text(-5, 6).startswith("1970-01-01T00:00:00.")
