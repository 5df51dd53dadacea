import json

from kafkasniff.diagnose.consumers.lag import Point, Standing
from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.render.diagnosis.lags import lag_lines

NOON = 1_795_176_000_000_000_000
"""Of 2026-11-20."""


def standing(seconds: int) -> Standing:
    """500 records behind; 400 since the beginning, in which 1,200 were written and 800 read."""
    first = Point(NOON, 100, 200, 0)
    last = Point(NOON + seconds * 1_000_000_000, 900, 1_400, 0)
    return Standing(Client("shop", "10.0.0.1"), "billing", "orders", 3, "commit", 900, 1_400, first, last)


def test_rates_are_those_of_the_time_between_the_places() -> None:
    (line,) = lag_lines([standing(8)], True, None)
    found = json.loads(line)
    assert (found["lag"], found["leastLag"]) == (500, 100)
    assert (found["writtenPerSecond"], found["readPerSecond"]) == (150, 100)
    assert (found["since"], found["time"]) == ("2026-11-20T12:00:00.000000Z", "2026-11-20T12:00:08.000000Z")


def test_places_of_one_moment_have_no_rates() -> None:
    (line,) = lag_lines([standing(0)], True, None)
    assert json.loads(line)["writtenPerSecond"] is None
    *_, row = lag_lines([standing(0)], False, 160)
    assert row.decode().split() == [
        *("billing", "shop", "orders", "3", "500", "400"),
        *("2026-11-20T12:00:00.000000Z", "-", "-", "commit"),
    ]


def test_nothing_gives_no_table() -> None:
    assert [*lag_lines([], False, 80)] == []
