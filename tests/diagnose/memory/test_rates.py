from kafkasniff.diagnose.memory.rates import BusySeconds, Rate, Trend
from kafkasniff.tcp.events import Connection
from tests.diagnose.made import SECOND, connection


def test_rate() -> None:
    rate = Rate(10, 1000)
    assert [rate.add(time) for time in (0, 5, 10, 11, 30)] == [1, 2, 3, 3, 1]
    assert rate.peak == 3


def test_events_that_become_known_late_make_no_rate() -> None:
    """What stands behind a gap is known after what came later."""
    rate = Rate(10, 1000)
    assert [rate.add(time) for time in (100, 104, 50, 102, 95, 108, 113, 111)] == [1, 2, 1, 3, 4, 4, 3, 4]
    assert rate.peak == 4
    set_back = Rate(10, 1000)
    hour = 3600 * SECOND
    assert [set_back.add(time) for time in (hour, hour + 5, 0, 5)] == [1, 2, 1, 2]
    few = Rate(10, 2)
    assert [few.add(time) for time in (5, 7, 6)] == [1, 2, 2]


def test_busy_seconds_that_become_known_late_do_not_count() -> None:
    busy = BusySeconds(least=2, wanted=3)
    for second in (100, 103, 95, 103, 95, 103):
        for _ in range(2):
            busy.add(second * SECOND, "server", ONE)
    assert not busy.fired
    for second in (10, 11, 12):  # The clock was set back.
        for _ in range(2):
            busy.add(second * SECOND, "server", ONE)
    assert busy.fired


def test_busy_seconds_must_lie_close_together() -> None:
    def fired(*seconds: int) -> bool:
        busy = BusySeconds(least=2, wanted=3)
        for second in seconds:
            busy.add(second * SECOND, "server", ONE)
            busy.add(second * SECOND + 1, "server", ONE)
        return busy.fired

    assert fired(1, 2, 3)
    assert not fired(1, 2)
    assert not fired(1, 100, 200)


def test_busy_seconds_of_programs_that_share_a_client_id() -> None:
    def fired(*events: tuple[str, Connection]) -> bool:
        busy = BusySeconds(least=2, wanted=1)
        for server, on in events:
            busy.add(SECOND, server, on)
        return busy.fired

    assert not fired(("a", ONE), ("a", OTHER))
    assert not fired(("a", ONE), ("a", OTHER), ("a", ONE))
    assert fired(("a", ONE), ("a", OTHER), ("a", ONE), ("a", OTHER))
    assert fired(("a", ONE), ("b", OTHER))  # one program, two brokers


ONE, OTHER = connection(50_001), connection(50_002)


def test_trend() -> None:
    falling, flat = Trend(), Trend()
    for latency in range(1, 6):
        falling.add(latency, 6 - latency)
        flat.add(latency, 3)
    assert (falling.slope, flat.slope, Trend().slope) == (-1, 0, 0)
