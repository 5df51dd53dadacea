from kafkasniff.calls.call import Call
from tests.diagnose.made import call, connection, finding, findings


def throttled(*waits: int, pause: float = 10) -> list[Call]:
    answers = [{"throttleTimeMs": wait, "errorCode": 0} for wait in waits]
    return [call(12, 1, {}, answer, at=at * pause, took=0) for at, answer in enumerate(answers)]


def test_throttled() -> None:
    assert findings("throttled", throttled(500)) == []
    assert findings("throttled", throttled(499, 499, 499)) == []
    assert finding("throttled", throttled(500, 500)).count == 2


def test_what_is_refused_is_told_as_an_error() -> None:
    answers = {"throttleTimeMs": 500, "topics": [{"name": "orders", "errorCode": 89}]}
    refused = [call(19, 7, {"topics": []}, answers, at=at * 10, took=0) for at in range(3)]
    assert findings("throttled", refused) == []
    assert "THROTTLING_QUOTA_EXCEEDED (89) 3 times" in finding("unexplained-error", refused).summary


def test_throttle_ignored() -> None:
    assert findings("throttle-ignored", throttled(200, 200, 200, pause=0.1)) == []  # two requests after an answer
    assert finding("throttle-ignored", throttled(200, 200, 200, 200, pause=0.1)).count == 3
    assert findings("throttle-ignored", throttled(*[200] * 9, pause=0.2)) == []
    assert findings("throttle-ignored", throttled(*[99] * 9, pause=0.01)) == []
    assert finding("throttle-ignored", throttled(*[100] * 9, pause=0.01)).count == 8


def test_waiting_most_of_the_time_is_no_habit_of_ignoring() -> None:
    late = throttled(*[200] * 4, pause=0.1)
    good = [call(12, 1, {}, {"throttleTimeMs": 200, "errorCode": 0}, at=10 + at, took=0) for at in range(5)]
    assert findings("throttle-ignored", [*late, *good]) == []


def test_the_share_of_requests_that_did_not_wait() -> None:
    def sent(early: int, patient: int) -> list[Call]:
        """Pairs a second apart, whose second request is early or not."""
        waits, free = ({"throttleTimeMs": wait, "errorCode": 0} for wait in (200, 0))
        return [
            call(12, 1, {}, free if of_pair else waits, at=pair + of_pair * late, took=0)
            for pair, late in enumerate([0.1] * early + [0.3] * patient)
            for of_pair in range(2)
        ]

    assert findings("throttle-ignored", sent(early=31, patient=9)) == []
    assert finding("throttle-ignored", sent(early=32, patient=8)).count == 32


def test_requests_on_their_way_are_no_ignoring() -> None:
    answer = {"throttleTimeMs": 300, "errorCode": 0}
    calls = [call(12, 1, {}, answer, at=at * 0.01, took=1) for at in range(20)]
    assert findings("throttle-ignored", calls) == []


def test_requests_are_judged_when_they_are_sent() -> None:
    """A long Fetch that was sent early is answered after requests that waited."""
    told = {"throttleTimeMs": 1000, "errorCode": 0}
    free = {"throttleTimeMs": 0, "errorCode": 0}
    calls = []
    for at in range(0, 40, 4):
        calls += [call(12, 1, {}, told, at=at, took=0), call(12, 1, {}, free, at=at + 1.5, took=0)]
        calls.append(call(12, 1, {}, free, at=at + 0.2, took=3))  # sent before the second, answered behind it
    assert finding("throttle-ignored", calls).count == 10


def test_the_broker_itself_waited_before_kip_219() -> None:
    answer = {"throttleTimeMs": 300, "errorCode": 0}
    calls = [call(12, 1, {}, answer, at=at * 0.31, took=0.3) for at in range(20)]
    assert findings("throttle-ignored", calls) == []


def test_a_muted_client_is_answered_late_as_well() -> None:
    """Who sends at once is answered when the time is over, and told to wait again."""
    answer = {"throttleTimeMs": 300, "errorCode": 0}
    calls = [call(12, 1, {}, answer, at=0, took=0.01)]
    calls += [call(12, 1, {}, answer, at=0.02 + at * 0.31, took=0.3) for at in range(20)]
    assert finding("throttle-ignored", calls).count == 20


def test_what_the_client_sent_before_it_could_know() -> None:
    """Captured at the broker, at the end of a long way."""
    answer = {"throttleTimeMs": 200, "errorCode": 0}

    def pairs(way_ms: int) -> list[Call]:
        """A second request 50 ms after each answer, the next when the time is over."""
        on = connection()
        on.round_trip_ns = way_ms * 1_000_000
        times = [at for pair in range(5) for at in (pair, pair + 0.05)]
        return [call(12, 1, {}, answer, at=at, took=0, on=on) for at in times]

    (found,) = findings("throttle-ignored", pairs(way_ms=1), share=0.5)
    assert found.count == 5
    assert findings("throttle-ignored", pairs(way_ms=60), share=0.5) == []


def test_java_keeps_each_wait() -> None:
    """What it sends behind an answer was on its way (KIP-219; by name from 2.4 on)."""
    versions = call(18, 4, {}, {"apiKeys": []})
    versions.software_name, versions.software_version = "apache-kafka-java", "4.3.1"
    early = throttled(*[200] * 9, pause=0.01)
    assert findings("throttle-ignored", [versions, *early]) == []
    versions.software_name = "another"
    assert len(findings("throttle-ignored", [versions, *early])) == 1


def test_a_wait_that_was_kept_stays_kept() -> None:
    """The request behind it comes after the next answer, and too early for that alone."""
    told, free = {"throttleTimeMs": 200, "errorCode": 0}, {"throttleTimeMs": 0, "errorCode": 0}
    calls = []
    for at in range(9):
        calls += [call(12, 1, {}, told, at=at, took=0), call(12, 1, {}, told, at=at + 0.3, took=0)]
        calls.append(call(12, 1, {}, free, at=at + 0.4, took=0))
    assert findings("throttle-ignored", calls) == []


def test_what_waits_in_a_client_s_socket_was_sent_before() -> None:
    """A broker that closes its window (KIP-219 mutes the connection) lets requests out long after they were written."""
    calls, muted = throttled(200, 200, 200, 200, pause=0.1), connection()
    for each in calls:
        each.connection = muted
    assert finding("throttle-ignored", calls).count == 3
    muted.counters[1].zero_windows = 1
    assert findings("throttle-ignored", calls) == []


def test_what_is_sent_with_others_under_way_at_the_first_wait() -> None:
    """Java sends on until it reads the answer; what is under way at a later wait was sent in spite of the first."""
    told, on = {"throttleTimeMs": 1000, "errorCode": 0}, connection()

    def sent(at: float, until: float) -> Call:
        return call(12, 1, {}, told, at=at, took=until - at, on=on)

    calls = [sent(0, 0.2), sent(0.1, 0.3), sent(0.21, 1.3), sent(0.22, 2.3), sent(0.23, 3.3)]
    assert findings("throttle-ignored", calls) == []
    again = [sent(0.4, 4.3), sent(0.41, 5.3), sent(0.42, 6.3)]
    assert finding("throttle-ignored", calls + again).count == 3
