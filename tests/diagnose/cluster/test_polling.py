from typing import Any

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.protocol.primitives import RecordsField
from tests.diagnose.made import call, connection, finding, findings

ADMIN, MADE = "admin-polling", "topic-auto-created"


def asked(per_second: int, seconds: int, key: int = 16, **more: Any) -> list[Call]:
    count = per_second * seconds
    return [call(key, 4, {}, {"groups": []}, at=at / per_second, **more) for at in range(count)]


def test_a_tool_that_asks_without_pause() -> None:
    assert findings(ADMIN, asked(19, 99)) == []
    assert findings(ADMIN, asked(20, 9)) == []
    found = finding(ADMIN, asked(20, 10))
    assert found.count == 200
    assert "LIST_GROUPS 200" in found.summary
    assert findings(ADMIN, asked(100, 2)) == []
    assert finding(ADMIN, asked(100, 3)).count == 300
    assert findings(ADMIN, asked(90, 9, key=12)) == []


def test_programs_that_share_a_client_id() -> None:
    calls = [each for port in range(3) for each in asked(10, 9, on=connection(50_000 + port))]
    assert findings(ADMIN, sorted(calls, key=lambda each: each.ended.time)) == []


def metadata(at: float, code: int, topic: str = "ordres", client_id: str = "shop", allowed: bool = True) -> Call:
    topics = [{"errorCode": code, "name": topic, "partitions": []}]
    request = {"topics": [{"name": topic}], "allowAutoTopicCreation": allowed}
    return call(3, 8, request, {"brokers": [], "topics": topics}, at=at, client_id=client_id)


def fetched(at: float, topic: str = "ordres", records: int = 0, named: bool = True) -> Call:
    answered = [{"topic": topic, "partitions": [{"partitionIndex": 0, "errorCode": 0}]}]
    response: dict[str, Any] = {"errorCode": 0, "responses": answered}
    made = call(1, 11, {"topics": [{"topic": topic, "partitions": []}] if named else []}, response, at=at)
    assert made._response_body is not None
    made._response_body.records = [RecordsField("responses[0].partitions[0].records", 0, records)]
    return made


def produced(at: float, topic: str) -> Call:
    return call(0, 9, {"acks": -1, "topicData": [{"name": topic}]}, {"responses": []}, at=at, client_id="writer")


def test_a_topic_made_by_a_typing_error() -> None:
    appears = [metadata(0, 3), metadata(0.1, 0)]
    found = finding(MADE, appears)
    assert (found.severity, found.subject["topic"], found.subject["clientId"]) == ("info", "ordres", "shop")
    read = finding(MADE, [*appears, produced(1, "orders"), fetched(3.1)])
    assert read.severity == "warning"
    assert "orders has a name like it, and is written to" in read.summary
    assert finding(MADE, [*appears, fetched(2.9)]).severity == "info"
    assert finding(MADE, [metadata(0, 5), metadata(0.1, 0)]).severity == "info"


def test_later_fetches_of_a_session_name_no_topic() -> None:
    appears = [metadata(0, 3), metadata(0.1, 0)]
    session = [fetched(1), fetched(2, "other", records=70, named=False), fetched(3.1, "other", named=False)]
    assert finding(MADE, [*appears, *session]).severity == "warning"
    assert finding(MADE, [*appears, *session[:2]]).severity == "info"
    assert findings(MADE, [*appears, *session, fetched(4, records=70, named=False)]) == []


@pytest.mark.parametrize(
    "calls",
    [
        [metadata(0, 3), metadata(5.2, 0)],
        [metadata(0, 3)],
        [metadata(0, 3), metadata(0.1, 0), produced(1, "ordres")],
        [metadata(0, 3), metadata(0.1, 0), fetched(1, records=70)],
        [metadata(0, 3, allowed=False), metadata(0.1, 0)],
        [metadata(0, 3), metadata(0.1, 0), metadata(9, 0, client_id="other")],
        [metadata(0, 0), metadata(1, 3), metadata(1.1, 0)],
        [
            metadata(0, 3),
            call(19, 5, {"topics": [{"name": "ordres"}]}, {"topics": [{"name": "ordres", "errorCode": 0}]}, at=0.05),
            metadata(0.1, 0),
        ],
    ],
    ids=["later", "never", "written", "holding", "not-allowed", "used-by-others", "there-before", "on-purpose"],
)
def test_topics_that_are_meant(calls: list[Call]) -> None:
    assert findings(MADE, calls) == []
