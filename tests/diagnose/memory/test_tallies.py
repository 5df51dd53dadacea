from kafkasniff.diagnose.memory.tallies import MOST_EVIDENCE, MOST_NAMES, Cited, Names, Tally
from tests.diagnose.made import SECOND, arrival, call, connection, report


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


def test_evidence_names_the_call() -> None:
    tally, cited = Tally(), call(3, 12, {}, {})
    cited.number = 7
    tally.add(arrival(1), "a call", cited)
    tally.add(arrival(2), "a call of which little is kept", Cited("10.0.0.1:50000", 8))
    tally.add(arrival(3), "a connection", report(connection(50_001)))
    assert [each.call for each in tally.evidence] == [7, 8, 0]
    assert list(tally.clients) == ["10.0.0.1:50000", "10.0.0.1:50001"]


def test_what_becomes_known_later_may_have_come_before() -> None:
    """Unanswered requests are known as their connections end, in whichever order."""
    tally = Tally()
    for at in (5, 2, 9, 7):
        tally.add(arrival(at), f"request {at}")
    assert (tally.first, tally.last, tally.span_ns) == (arrival(2), arrival(9), 7 * SECOND)
    assert [each.what for each in tally.evidence] == ["request 2", "request 5", "request 7", "request 9"]
    for at in (20, 1, 30, 29):
        tally.add(arrival(at), f"request {at}")
    assert [each.what for each in tally.evidence] == [f"request {at}" for at in (2, 5, 7, 9, 30)]
