import numpy as np

from kafkasniff.metrics.breakdown import SUMS, Row
from kafkasniff.metrics.histogram import BUCKETS
from kafkasniff.metrics.history import Change, History
from kafkasniff.metrics.screen import top_lines
from kafkasniff.metrics.state import State
from kafkasniff.metrics.totals import API_BROKER, CLIENT, ERROR_API, GROUP, TOPIC, Snapshot
from kafkasniff.render.colours import PLAIN
from kafkasniff.render.words import cells

SECOND = 1_000_000_000
NOTHING = State(*[0] * 9)


def snapshot(second: int, clients: dict[str, float]) -> Snapshot:
    rows = {}
    for name, calls in clients.items():
        sums = np.zeros(len(SUMS))
        sums[SUMS.index("calls")] = calls
        rows[name,] = Row(sums, np.zeros(BUCKETS, np.int64))
    return Snapshot(second * SECOND, {API_BROKER: {}, CLIENT: rows, TOPIC: {}, GROUP: {}, ERROR_API: {}})


def a_minute() -> History:
    history = History(snapshot(0, {}), NOTHING)
    for second in range(2, 62, 2):
        clients = {
            "steady": second * 10.0,
            "rising": second * 10.0 + max(second - 50, 0) * 40,
            "stopped": min(second, 30) * 5.0,
            "rare": 1.0,
        }
        if second > 52:
            clients["new"] = (second - 52) * 7.0
        history.add(snapshot(second, clients), NOTHING)
    return history


def test_the_window_is_of_the_last_seconds() -> None:
    came, seconds, _ = a_minute().now()
    assert seconds == 10
    assert {name: row["calls"] for (name,), row in came.rows[CLIENT].items()} == {
        "steady": 100, "rising": 500, "new": 56,
    }  # fmt: skip


def test_changes_are_those_of_rates() -> None:
    assert a_minute().changes() == [
        Change("new", "client_id", "new", 0.0, 5.6),
        Change("silent", "client_id", "stopped", 3.0, 0.0),
        Change("more", "client_id", "rising", 10.0, 50.0),
    ]
    assert History(snapshot(0, {}), NOTHING).changes() == []


def test_steps_cover_the_minute() -> None:
    steps = a_minute().steps("client_id", "steady")
    assert len(steps) <= 12
    assert set(steps) == {60.0}


def test_a_screen_fits_every_terminal() -> None:
    history = a_minute()
    for width, height in ((60, 20), (80, 24), (100, 40), (240, 60)):
        lines = top_lines(history, [], "eth0", width, height, PLAIN)
        assert len(lines) <= height
        assert max(map(cells, lines)) <= width
        text = "\n".join(lines)
        assert "rising" in text
        assert "changed in the last minute" in text


def test_numbers_stand_near_their_names_on_a_wide_screen() -> None:
    [line] = [line for line in top_lines(a_minute(), [], "eth0", 240, 60, PLAIN) if line.startswith("rising ")]
    # 500 calls in the ten seconds of the window.
    assert line.split()[1] == "50.0"
    assert line.index("50.0") < 40
