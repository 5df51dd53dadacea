from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import Gap
from tests.diagnose.kinds import answered_metadata, answered_produce
from tests.diagnose.made import SHARED, arrival, call, connection, finding, findings


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


def test_a_topic_that_appears_is_healthy() -> None:
    missing, there = answered_metadata(3), answered_metadata(0)
    assert findings("unknown-topic-loop", [*map(missing, range(9)), there(10)]) == []
    assert finding("unknown-topic-loop", [*map(missing, range(9)), answered_metadata(0, "other")(10)]).count == 9


def test_a_topic_may_appear_in_lost_bytes() -> None:
    lost = Gap(SHARED, SHARED, SHARED, "response", 100, arrival(9))  # type: ignore[arg-type]
    calls = [answered_metadata(3)(at) for at in range(9)]
    assert findings("unknown-topic-loop", [*calls, lost]) == []  # type: ignore[list-item]


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


def test_deleting_what_is_gone_is_no_use_of_it() -> None:
    answer = {"responses": [{"name": "orders", "errorCode": 3}], "throttleTimeMs": 0}
    deletions = [call(20, 1, {"topicNames": ["orders"], "timeoutMs": 1}, answer, at=at) for at in range(9)]
    assert findings("unknown-topic-loop", deletions) == []


def test_a_topic_that_the_client_creates_in_the_end() -> None:
    created = call(19, 2, {"topics": []}, {"throttleTimeMs": 0, "topics": [{"name": "orders", "errorCode": 0}]}, at=9)
    assert findings("unknown-topic-loop", [*(answered_metadata(3)(at) for at in range(9)), created]) == []


def created(at: float, port: int) -> Call:
    answer = {"throttleTimeMs": 0, "topics": [{"name": "orders", "errorCode": 36, "errorMessage": None}]}
    return call(19, 2, {"topics": [{"name": "orders"}]}, answer, at=at, on=connection(port))


def test_programs_that_create_their_topics_when_they_start() -> None:
    together = [created(at, 50_000 + at) for at in range(9)]
    assert findings("topic-already-exists", together) == []
    one_by_one = [created(at, 50_000 + at) for at in range(4)]
    for each in one_by_one:
        each.connection.ended_by = "fin"
    assert finding("topic-already-exists", one_by_one).count == 4


def fetch_by_id(at: float, code: int = 100) -> Call:
    partitions = [{"partitionIndex": 0, "errorCode": code}]
    answer = {"responses": [{"topicId": "7wAAAAAAAAAAAAAAAAAAAA", "partitions": partitions}]}
    return call(
        1, 13, {"topics": [{"topicId": "7wAAAAAAAAAAAAAAAAAAAA", "partitions": [{"partition": 0}]}]}, answer, at=at
    )


def test_a_topic_that_was_deleted_under_its_reader() -> None:
    """As franz-go fetches it on and on by its id, whose name may not have been captured."""
    rule = "unknown-topic-loop"
    assert findings(rule, map(fetch_by_id, range(4))) == []
    nameless = finding(rule, map(fetch_by_id, range(5)))
    assert "got UNKNOWN_TOPIC_ID 5 times for the topic with id 7wAAAAAAAAAAAAAAAAAAAA within" in nameless.summary
    topics = [{"name": "orders", "topicId": "7wAAAAAAAAAAAAAAAAAAAA", "errorCode": 0, "partitions": []}]
    told = call(3, 12, {"topics": []}, {"brokers": [], "topics": topics}, at=-1)
    assert finding(rule, [told, *map(fetch_by_id, range(5))]).subject["topic"] == "orders"
    assert findings(rule, [*map(fetch_by_id, range(9)), fetch_by_id(9, code=0)]) == []


def asked(lives: float, **request: bool) -> list[Call]:
    """Metadata for a topic that is not there, on a connection that lives on for so many seconds."""
    answer = {"brokers": [], "topics": [{"name": "orders", "errorCode": 3}]}
    return [call(3, 8, {"topics": [{"name": "orders"}], **request}, answer, took=0, on=connection(end=lives))]


def test_a_client_that_asks_once_for_a_topic_and_waits() -> None:
    """As kafka-go, whose group members are assigned nothing then."""
    rule = "unknown-topic-loop"
    found = finding(rule, asked(3, allowAutoTopicCreation=True))
    assert (found.severity, found.count) == ("info", 1)
    assert findings(rule, asked(2.9, allowAutoTopicCreation=True)) == []
    assert findings(rule, asked(9, allowAutoTopicCreation=False)) == []  # As admin tools, which create no topic so.
    assert finding(rule, [answered_metadata(3)(at) for at in range(5)]).severity == "error"


def test_a_client_that_gives_up_for_want_of_a_topic() -> None:
    """As kafkajs' consumer, and kafka-go's reader whose program ends."""
    rule = "unknown-topic-loop"
    calls = asked(0.1)
    calls[0].connection.ended_by, calls[0].connection.ended_direction = "fin", 0
    found = finding(rule, calls)
    assert (found.severity, found.subject["topic"]) == ("info", "orders")
    assert found.summary == "shop got UNKNOWN_TOPIC_OR_PARTITION once for topic orders, and closed the connection."
    calls[0].connection.ended_direction = 1  # A broker that stops.
    assert findings(rule, calls) == []
    calls = asked(0.1)
    calls[0].connection.ended_by, calls[0].connection.ended_direction = "fin", 0
    calls[0].connection.counters[0].gaps = 1  # The call may be known late, when another has shown the topic.
    assert findings(rule, calls) == []
    calls = asked(0.1, allowAutoTopicCreation=False)
    calls[0].connection.ended_by, calls[0].connection.ended_direction = "fin", 0
    assert findings(rule, calls) == []


def test_a_name_that_is_not_allowed() -> None:
    """Franz-go asks once, and gives the program an error; a tool that creates a topic in vain says so itself."""
    rule, topic = "invalid-topic", {"name": "my topic", "errorCode": 17, "errorMessage": None}

    def creations(count: int) -> list[Call]:
        return [call(19, 2, {"topics": []}, {"topics": [topic]}, at=at) for at in range(count)]

    assert finding(rule, [answered_metadata(17, "my topic")(0)]).severity == "info"
    assert finding(rule, [answered_metadata(17, "my topic")(at) for at in range(3)]).severity == "error"
    assert findings(rule, creations(2)) == []
    assert finding(rule, creations(3)).severity == "error"
