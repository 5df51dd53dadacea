from kafkasniff.calls.call import Call
from tests.diagnose.made import call, connection, finding, findings

JOIN = {"groupId": "billing", "sessionTimeoutMs": 6_000, "rebalanceTimeoutMs": 4_000, "memberId": "", "protocols": []}
JOINED = {"throttleTimeMs": 0, "errorCode": 0, "generationId": 1, "memberId": "m-1", "members": []}


def leave(reason: str | None, at: float = 0) -> Call:
    request = {"groupId": "billing", "members": [{"memberId": "m-1", "groupInstanceId": None, "reason": reason}]}
    return call(13, 5, request, {"throttleTimeMs": 0, "errorCode": 0, "members": []}, at=at)


def test_poll_timeout_by_its_reason() -> None:
    assert findings("poll-timeout-eviction", [leave("the consumer is being closed")]) == []
    found = finding("poll-timeout-eviction", [leave("consumer poll timeout has expired.")])
    assert found.subject == {"clientId": "shop", "group": "billing", "memberId": "m-1"}


def test_poll_timeout_by_coming_back_on_the_same_connection() -> None:
    def rejoin(at: float, port: int = 50_000) -> list[Call]:
        on = connection(port)
        left = call(13, 1, {"groupId": "billing", "memberId": "m-1"}, {"throttleTimeMs": 0, "errorCode": 0}, on=on)
        return [left, call(11, 2, JOIN, JOINED, at=at, on=on)]

    assert findings("poll-timeout-eviction", rejoin(1.4)) == []
    assert finding("poll-timeout-eviction", rejoin(1.5)).count == 1
    first, second = rejoin(5)[0], rejoin(5, port=50_001)[1]
    assert findings("poll-timeout-eviction", [first, second]) == []


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
    assert found.subject == {"clientId": "shop", "group": "billing"}
    assert "session timeout 6,000 ms" in found.summary


def test_an_unknown_session_timeout_accuses_nobody() -> None:
    assert findings("session-timeout", silence(60)[1:]) == []


def test_commit_storm() -> None:
    def commits(count: int) -> list[Call]:
        request = {"groupId": "billing", "memberId": "m-1", "topics": [{"name": "orders", "partitions": []}]}
        return [call(8, 2, request, {"topics": []}, at=index / count) for index in range(count)]

    assert findings("commit-storm", commits(24)) == []
    found = finding("commit-storm", commits(25))
    assert found.subject == {"clientId": "shop", "group": "billing", "memberId": "m-1", "topic": "orders"}
    assert found.severity == "warning"
