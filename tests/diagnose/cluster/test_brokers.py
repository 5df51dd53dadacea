import pytest

from kafkasniff.calls.call import Call
from kafkasniff.diagnose.cluster.brokers import below_kafka4
from tests.diagnose.made import call, connection, finding, findings


@pytest.mark.parametrize(
    ("key", "lowest"),
    # KIP-896: Produce 3, Fetch 4, ListOffsets 1, Metadata 0, OffsetCommit 2, OffsetFetch 1, CreateTopics 2.
    [(0, 3), (1, 4), (2, 1), (3, 0), (8, 2), (9, 1), (19, 2)],
)
def test_the_minimum_of_kafka_4(key: int, lowest: int) -> None:
    assert not below_kafka4(key, lowest)
    assert not lowest or below_kafka4(key, lowest - 1)


def test_below_kafka4_minimum() -> None:
    produce = {"acks": 1, "timeoutMs": 1, "topicData": []}
    assert findings("below-kafka4-minimum", [call(0, 3, produce)]) == []
    assert "PRODUCE v2" in finding("below-kafka4-minimum", [call(0, 2, produce)]).summary
    assert findings("below-kafka4-minimum", [call(1, 3, {"replicaId": 2, "topics": []})]) == []


def test_closed_after_an_old_version() -> None:
    def closed(count: int, version: int = 2, direction: int = 1) -> list[Call]:
        calls = []
        for at in range(count):
            on = connection(50_000 + at)
            on.ended_by, on.ended_direction = "fin", direction
            calls.append(call(0, version, {"topicData": []}, at=at, on=on))
        return calls

    assert findings("unsupported-version", closed(2)) == []
    assert finding("unsupported-version", closed(3)).subject == {"clientId": "shop"}
    assert findings("unsupported-version", closed(9, version=3)) == []
    assert findings("unsupported-version", closed(9, direction=0)) == []


def test_api_versions_may_be_refused() -> None:
    calls = [call(18, 4, {}, {"errorCode": 35, "apiKeys": []}, at=at) for at in range(9)]
    assert findings("unsupported-version", calls) == []


def throttled(*waits: int, pause: float = 10) -> list[Call]:
    answers = [{"throttleTimeMs": wait, "errorCode": 0} for wait in waits]
    return [call(12, 1, {}, answer, at=at * pause, took=0) for at, answer in enumerate(answers)]


def test_throttled() -> None:
    assert findings("throttled", throttled(500)) == []
    assert findings("throttled", throttled(499, 499, 499)) == []
    assert finding("throttled", throttled(500, 500)).count == 2


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


def test_followers_of_kafka_1() -> None:
    calls = [call(23, 0, {"topics": []}, client_id="broker-2-fetcher-0")]
    assert findings("below-kafka4-minimum", calls) == []
