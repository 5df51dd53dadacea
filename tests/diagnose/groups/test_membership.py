from typing import Any

from kafkasniff.calls.call import Call
from tests.diagnose.made import call, connection, finding, findings

JOIN = {"groupId": "billing", "sessionTimeoutMs": 6_000, "rebalanceTimeoutMs": 4_000, "memberId": "", "protocols": []}
JOINED = {"throttleTimeMs": 0, "errorCode": 0, "generationId": 1, "memberId": "m-1", "members": []}


def silence(seconds: float) -> list[Call]:
    heartbeat = {"groupId": "billing", "generationId": 1, "memberId": "m-1"}
    return [
        call(11, 2, JOIN, JOINED),
        call(12, 1, heartbeat, {"throttleTimeMs": 0, "errorCode": 0}, at=1),
        call(12, 1, heartbeat, {"throttleTimeMs": 0, "errorCode": 25}, at=1.001 + seconds),
    ]


def test_session_timeout() -> None:
    assert findings("session-timeout", silence(5.3)) == []
    found = finding("session-timeout", silence(5.5))
    assert found.subject.items() >= {"clientId": "shop", "group": "billing", "memberId": "m-1"}.items()
    assert "session timeout 6,000 ms" in found.summary


def test_an_unknown_session_timeout_accuses_nobody() -> None:
    assert findings("session-timeout", silence(60)[1:]) == []


def consumer(at: float, epoch: int, code: int = 0, member: str = "m-1", **more: Any) -> Call:
    """ConsumerGroupHeartbeat (KIP-848)."""
    interval = 4_000 if epoch == 0 else -1
    request = {"groupId": "billing", "memberId": member, "memberEpoch": epoch, "rebalanceTimeoutMs": interval}
    answer = {"throttleTimeMs": 0, "errorCode": code, "memberId": member, "memberEpoch": epoch or 1}
    return call(68, 1, request, {**answer, "heartbeatIntervalMs": 1_000}, at=at, took=0, **more)


def test_session_timeout_in_the_newer_protocol() -> None:
    rule = "session-timeout"
    assert findings(rule, [consumer(0, 0), consumer(5.9, 1, code=25)]) == []
    assert finding(rule, [consumer(0, 0), consumer(6, 1, code=25)]).count == 1
    assert findings(rule, [consumer(0, 0), consumer(1, -1), consumer(60, 1, code=25)]) == []  # has left


def test_a_client_that_notices_itself_joins_as_a_new_member() -> None:
    def again(at: float, port: int = 50_000) -> list[Call]:
        first, later = connection(50_000), connection(port)
        both = first if port == 50_000 else later
        return [call(11, 2, JOIN, JOINED, took=0, on=first), call(11, 2, JOIN, JOINED, at=at, on=both)]

    assert findings("session-timeout", again(5.3)) == []
    assert finding("session-timeout", again(5.5)).count == 1
    assert findings("session-timeout", again(5.5, port=50_001)) == []  # perhaps another program


def test_who_leaves_may_be_silent() -> None:
    request = {"groupId": "billing", "memberId": "m-1"}
    left = call(13, 1, request, {"throttleTimeMs": 0, "errorCode": 0}, at=1)
    assert findings("session-timeout", [call(11, 2, JOIN, JOINED), left, call(11, 2, JOIN, JOINED, at=60)]) == []


def test_a_session_timeout_that_is_told_later() -> None:
    """A capture that began after the join: the program's next JoinGroup says what its setting is."""
    synced = call(14, 2, {"groupId": "billing", "memberId": "m-1"}, {"errorCode": 0, "assignment": ""})
    refused = call(12, 2, {"groupId": "billing", "memberId": "m-1"}, {"errorCode": 25}, at=5.5)
    again = call(11, 2, JOIN, JOINED | {"memberId": "m-2"}, at=9)
    assert findings("session-timeout", [synced, refused]) == []
    found = finding("session-timeout", [synced, refused, again])
    assert found.subject["memberId"] == "m-1"
    assert "HEARTBEAT refused with UNKNOWN_MEMBER_ID after 5.5 s of silence (session timeout 6,000 ms)" in found.summary
    soon = call(12, 2, {"groupId": "billing", "memberId": "m-1"}, {"errorCode": 25}, at=5.3)
    assert findings("session-timeout", [synced, soon, again]) == []
