from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import Gap
from tests.diagnose.kinds import answered_metadata
from tests.diagnose.made import SHARED, arrival, call, connection, finding, findings


def test_a_topic_that_appears_is_healthy() -> None:
    missing, there = answered_metadata(3), answered_metadata(0)
    assert findings("unknown-topic-loop", [*map(missing, range(9)), there(10)]) == []
    assert finding("unknown-topic-loop", [*map(missing, range(9)), answered_metadata(0, "other")(10)]).count == 9


def test_a_topic_may_appear_in_lost_bytes() -> None:
    lost = Gap(SHARED, SHARED, SHARED, "response", 100, arrival(9))  # type: ignore[arg-type]
    calls = [answered_metadata(3)(at) for at in range(9)]
    assert findings("unknown-topic-loop", [*calls, lost]) == []  # type: ignore[list-item]


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
