"""Codes and what they mean are Kafka's (Errors.java); what is normal is said by the KIPs named in the table."""

from typing import Any

import pytest

from kafkasniff.calls.call import Call
from tests.diagnose.made import call, connection, finding, findings

RULE = "unexplained-error"


def produced(code: int, at: float, topic: str = "orders", **more: Any) -> Call:
    response = {"responses": [{"name": topic, "partitionResponses": [{"index": 0, "errorCode": code}]}]}
    return call(0, 9, {"acks": -1, "topicData": [{"name": topic}]}, response, at=at, **more)


def joined(code: int, at: float = 0, timeout: int = 3000) -> Call:
    return call(11, 5, {"groupId": "g", "sessionTimeoutMs": timeout}, {"errorCode": code}, at=at)


def test_three_errors_that_no_rule_takes() -> None:
    on = connection(end=3)
    calls = [produced(87, at, on=on) for at in range(3)]
    assert findings(RULE, calls[:2]) == []
    found = finding(RULE, calls)
    assert found.severity == "error"
    assert found.subject.items() >= {"clientId": "shop", "client": "10.0.0.1:50000", "topic": "orders"}.items()
    assert found.summary == "shop got INVALID_RECORD (87) 3 times within 2.0 s from PRODUCE for topic orders."
    assert "compact" in found.fix
    assert found.count == 3


@pytest.mark.parametrize(("end", "count"), [(3.9, 0), (4.1, 1)])
def test_one_error_after_which_the_client_does_nothing_more(end: float, count: int) -> None:
    """Three seconds; a code that may be tried again is no reason to stop."""
    on = connection(end=end)
    assert len(findings(RULE, [produced(87, 1, on=on)])) == count
    assert findings(RULE, [produced(56, 1, on=on)]) == []
    assert findings(RULE, [produced(87, 1, on=on), produced(0, 2, on=on)]) == []


def test_a_fatal_code_counts_at_once_and_names_what_was_refused() -> None:
    found = finding(RULE, [joined(26)])
    assert "sessionTimeoutMs 3000" in found.summary
    assert found.subject["group"] == "g"
    request = {"transactionalId": "t", "transactionTimeoutMs": 3_600_000}
    found = finding(RULE, [call(22, 4, request, {"errorCode": 50})])
    assert "transactionTimeoutMs 3600000" in found.summary
    assert found.subject["transactionalId"] == "t"
    assert "transaction.max.timeout.ms" in found.fix


def test_the_refused_value_is_that_of_the_topic() -> None:
    topics = [{"name": "a", "replicationFactor": 1}, {"name": "b", "replicationFactor": 3}]
    answer = {"topics": [{"name": "a", "errorCode": 0}, {"name": "b", "errorCode": 38, "errorMessage": "too many"}]}
    found = finding(RULE, [call(19, 5, {"topics": topics}, answer, at=at) for at in range(3)])
    assert "refused: replicationFactor 3; the broker says: too many" in found.summary
    assert found.subject["topic"] == "b"


def test_a_client_that_goes_on_is_warned_of() -> None:
    calls = [produced(87, at) for at in range(3)]
    assert finding(RULE, [*calls, produced(0, 4)]).severity == "warning"
    assert finding(RULE, [*calls, produced(0, 4, on=connection(50_001))]).severity == "warning"
    assert finding(RULE, [*calls, produced(0, 4, topic="other")]).severity == "error"
    assert finding(RULE, [*calls, produced(0, 4), produced(87, 5)]).severity == "error"


def test_what_another_rule_takes_is_left_to_it() -> None:
    assert findings(RULE, [produced(10, at) for at in range(9)]) == []
    assert findings(RULE, [produced(19, at) for at in range(9)]) == []


def test_codes_that_nobody_knows() -> None:
    calls = [produced(87, at) for at in range(3)]
    for each in calls:
        each._errors = [error._replace(code=999) for error in each.errors]
    assert "none of those" in finding(RULE, calls).cause


def test_programs_that_share_a_client_id_are_not_added_up() -> None:
    calls = [produced(87, at / 10, on=connection(50_000 + at, end=2)) for at in range(4)]
    assert findings(RULE, calls) == []


def test_what_lost_calls_may_have_brought_about_is_told_for_information() -> None:
    def ended(code: int, gaps: int, times: int = 1) -> str:
        on = connection()
        on.counters[0].gaps = gaps
        return finding(RULE, [call(26, 4, {}, {"errorCode": code}, at=at, on=on) for at in range(times)]).severity

    assert (ended(48, gaps=0), ended(48, gaps=1), ended(48, gaps=1, times=3)) == ("error", "info", "error")
    assert ended(50, gaps=1) == "error"  # INVALID_TRANSACTION_TIMEOUT: the request itself says why.


def test_a_broker_that_starts_again_before_its_last_session_is_over() -> None:
    """KRaft: it registers once that is so; one that never can has a twin."""

    def registers(code: int, at: float) -> Call:
        return call(62, 4, {"brokerId": 2}, {"errorCode": code}, at=at, client_id="2")

    refused = [registers(101, at) for at in range(5)]
    assert finding(RULE, refused).severity == "error"
    assert findings(RULE, [*refused, registers(0, 9)]) == []
