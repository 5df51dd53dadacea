from kafkasniff.calls.call import Call
from tests.diagnose.kinds import answered_metadata, answered_produce
from tests.diagnose.made import arrival, call, connection, finding, findings


def storm(per_second: int, seconds: int) -> list[Call]:
    """What a connection begins with, then so many a second."""
    times = [second + index / per_second for second in range(seconds) for index in range(per_second)]
    return [answered_metadata(0)(at) for at in (-9, -8, -7, *times)]


def test_metadata_storm() -> None:
    assert findings("metadata-storm", storm(9, 20)) == []
    assert findings("metadata-storm", storm(10, 2)) == []
    found = finding("metadata-storm", storm(10, 3))
    assert (found.count, found.subject["clientId"], found.subject["topic"]) == (30, "shop", "orders")


def test_new_connections_may_ask() -> None:
    """A program that makes a client for each record; or many programs that start together."""
    calls = storm(20, 20)
    for index, each in enumerate(calls):
        each.connection = connection(50_000 + index // 3)
    assert findings("metadata-storm", calls) == []


def test_how_often_it_looked_for_the_leader_is_said() -> None:
    refused = answered_produce(6)
    never = [refused(at) for at in range(8)]
    assert "never asked for metadata in between" in finding("not-leader-loop", never).summary
    calls = [
        *never,
        answered_metadata(0)(8.5),
        *(refused(at) for at in range(9, 12)),
        answered_metadata(0)(13),
        refused(14),
    ]
    assert "with 2 Metadata calls in between: up to 8 refusals" in finding("not-leader-loop", calls).summary


def test_not_leader_with_metadata_in_between_is_healthy() -> None:
    refused = answered_produce(6)
    calls = [each for at in range(0, 60, 3) for each in (refused(at), refused(at + 1), answered_metadata(0)(at + 2))]
    assert findings("not-leader-loop", calls) == []


def test_fetches_until_metadata_is_there_are_no_loop() -> None:
    """As kafka-python's, some two hundred a second, from a broker that was frozen and registers anew."""
    refused = answered_produce(6)
    assert findings("not-leader-loop", [refused(at / 100) for at in range(100)]) == []
    assert finding("not-leader-loop", [refused(at / 100) for at in range(102)]).count == 102


def test_followers_learn_of_leaders_otherwise() -> None:
    partition = {"partitionIndex": 0, "errorCode": 6, "highWatermark": 5, "recordsSizeInBytes": 0}
    response = {"responses": [{"topic": "orders", "partitions": [partition]}]}
    request = {"replicaId": 2, "topics": []}
    assert findings("not-leader-loop", [call(1, 4, request, response, at=at) for at in range(30)]) == []


def test_many_programs_at_one_leader_change() -> None:
    """Each is refused a few times before it asks for metadata; they share a client id."""
    calls = []
    for port in range(50_000, 50_010):
        for at in range(3):
            refused = answered_produce(6)(at)
            refused.connection = connection(port) if at == 0 else calls[-1].connection
            calls.append(refused)
    assert findings("not-leader-loop", calls) == []


def test_requests_in_flight_know_nothing_of_the_refusal() -> None:
    calls = [answered_produce(6)(at / 1000) for at in range(30)]
    for each in calls:
        each.ended = arrival(1)
    assert findings("not-leader-loop", calls) == []


def test_one_refusal_at_each_leader_change() -> None:
    """Since KIP-951 the refusal itself names the new leader, and no Metadata is asked for."""
    assert findings("not-leader-loop", [answered_produce(6)(at * 100) for at in range(30)]) == []
