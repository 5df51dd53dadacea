from typing import Any

from kafkasniff.calls.call import Call
from tests.diagnose.kinds import leave
from tests.diagnose.made import arrival, call, connection, finding, findings

JOIN = {"groupId": "billing", "sessionTimeoutMs": 6_000, "rebalanceTimeoutMs": 4_000, "memberId": "", "protocols": []}
JOINED = {"throttleTimeMs": 0, "errorCode": 0, "generationId": 1, "memberId": "m-1", "members": []}


def consumer(at: float, epoch: int, code: int = 0, member: str = "m-1", **more: Any) -> Call:
    """ConsumerGroupHeartbeat (KIP-848)."""
    interval = 4_000 if epoch == 0 else -1
    request = {"groupId": "billing", "memberId": member, "memberEpoch": epoch, "rebalanceTimeoutMs": interval}
    answer = {"throttleTimeMs": 0, "errorCode": code, "memberId": member, "memberEpoch": epoch or 1}
    return call(68, 1, request, {**answer, "heartbeatIntervalMs": 1_000}, at=at, took=0, **more)


def test_poll_timeout_by_its_reason() -> None:
    assert findings("poll-timeout-eviction", [leave("the consumer is being closed")]) == []
    found = finding("poll-timeout-eviction", [leave("consumer poll timeout has expired.")])
    assert found.subject.items() >= {"clientId": "shop", "group": "billing", "memberId": "m-1"}.items()
    assert "saying “consumer poll timeout has expired.”" in found.summary


def test_poll_timeout_by_coming_back_on_the_same_connection() -> None:
    def rejoin(at: float, port: int = 50_000) -> list[Call]:
        on = connection(port)
        left = call(13, 1, {"groupId": "billing", "memberId": "m-1"}, {"throttleTimeMs": 0, "errorCode": 0}, on=on)
        return [left, call(11, 2, JOIN, JOINED, at=at, on=on)]

    assert findings("poll-timeout-eviction", rejoin(1.4)) == []
    assert finding("poll-timeout-eviction", rejoin(1.5)).count == 1
    first, second = rejoin(5)[0], rejoin(5, port=50_001)[1]
    assert findings("poll-timeout-eviction", [first, second]) == []


def test_leaves_sooner_than_the_poll_interval_are_no_evictions() -> None:
    """librdkafka gives no reason when it unsubscribes either."""

    def left(after: float) -> list[Call]:
        request = {"groupId": "billing", "memberId": "m-1"}
        leaves = call(13, 1, request, {"throttleTimeMs": 0, "errorCode": 0}, at=after)
        return [call(11, 2, JOIN, JOINED, took=0), leaves, call(11, 2, JOIN, JOINED, at=after + 20)]

    assert findings("poll-timeout-eviction", left(3.5)) == []
    assert finding("poll-timeout-eviction", left(3.7)).count == 1


def test_poll_timeout_in_the_newer_protocol() -> None:
    rule = "poll-timeout-eviction"
    assert findings(rule, [consumer(0, 0), consumer(3, -1), consumer(9, 0)]) == []  # sooner than max.poll.interval.ms
    assert findings(rule, [consumer(0, 0), consumer(5, -1), consumer(9, 0, member="m-2")]) == []  # another program
    assert findings(rule, [consumer(0, 0), consumer(5, -1), consumer(5.4, 0)]) == []  # unsubscribes and subscribes
    found = finding(rule, [consumer(0, 0), consumer(5, -1), consumer(5.6, 0)])
    assert found.subject.items() >= {"clientId": "shop", "group": "billing", "memberId": "m-1"}.items()


def test_a_member_of_the_newer_protocol_that_stays_away() -> None:
    rule, stays = "poll-timeout-eviction", connection(end=6)
    warned = finding(rule, [consumer(0, 0, on=stays), consumer(5, -1, on=stays)])
    assert (warned.severity, warned.subject["memberId"]) == ("warning", "m-1")
    stays.first_fin = arrival(5.9)
    assert findings(rule, [consumer(0, 0, on=stays), consumer(5, -1, on=stays)]) == []  # Closes soon after.
    assert findings(rule, [consumer(5, -1)]) == []  # Its join was not captured.
