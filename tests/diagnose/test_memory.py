from kafkasniff.diagnose.memory import MOST_EVIDENCE, MOST_NAMES, Bounded, BusySeconds, Cited, Names, Rate, Tally, Trend
from kafkasniff.tcp.events import Connection
from tests.diagnose.made import SECOND, arrival, call, connection, report


def test_bounded_gives_up_the_longest_untouched() -> None:
    gone: list[tuple[str, int]] = []
    memory: Bounded[int] = Bounded(2, lambda key, state: gone.append((key, state)))
    memory.put("a", 1)
    memory.put("b", 2)
    memory.touch("a", lambda: 9)
    memory.put("c", 3)
    assert gone == [("b", 2)]
    assert (memory.get("a"), memory.get("b"), len(memory)) == (1, None, 2)


def test_names_keep_the_first_few() -> None:
    names = Names()
    for name in [None, "a", "a"]:
        names.add(name)
    assert names.only == "a"
    for number in range(100):
        names.add(number)
    assert (len(names), names.more, names.only) == (MOST_NAMES, True, None)


def test_a_tally_keeps_the_first_and_the_latest() -> None:
    tally = Tally()
    for number in range(50):
        tally.add(arrival(number), str(number))
    assert (tally.count, tally.span_ns) == (50, 49 * SECOND)
    assert [item.what for item in tally.evidence] == ["0", "1", "2", "3", "49"]
    assert len(tally.evidence) == MOST_EVIDENCE


def test_rate() -> None:
    rate = Rate(10, 1000)
    assert [rate.add(time) for time in (0, 5, 10, 11, 30)] == [1, 2, 3, 3, 1]
    assert rate.peak == 3


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


def test_evidence_names_the_call() -> None:
    tally, cited = Tally(), call(3, 12, {}, {})
    cited.number = 7
    tally.add(arrival(1), "a call", cited)
    tally.add(arrival(2), "a call of which little is kept", Cited("10.0.0.1:50000", 8))
    tally.add(arrival(3), "a connection", report(connection(50_001)))
    assert [each.call for each in tally.evidence] == [7, 8, 0]
    assert list(tally.clients) == ["10.0.0.1:50000", "10.0.0.1:50001"]
