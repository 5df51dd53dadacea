from typing import Any

from kafkasniff.calls.call import Call
from tests.diagnose.made import call, connection, finding, findings

ONE, OTHER = connection(50_001), connection(50_002)


def join(at: float, generation: int, *, member: str = "m-1", took: float = 0.01, **more: Any) -> Call:
    request = {
        "groupId": "billing",
        "sessionTimeoutMs": 10_000,
        "rebalanceTimeoutMs": 12_000,
        "memberId": member,
        "protocolType": "consumer",
        "protocols": [],
    }
    response = {"throttleTimeMs": 0, "errorCode": 0, "generationId": generation, "memberId": member, "members": []}
    return call(11, 2, request, response, at=at, took=took, **more)


def heartbeat(at: float, code: int, *, member: str = "m-1", **more: Any) -> Call:
    request = {"groupId": "billing", "generationId": 1, "memberId": member}
    return call(12, 1, request, {"throttleTimeMs": 0, "errorCode": code}, at=at, **more)


def test_rebalance_storm() -> None:
    calls = [join(at, 1 + at) for at in range(8)]
    assert findings("rebalance-storm", calls[:7]) == []
    found = finding("rebalance-storm", calls)
    assert (found.subject["group"], found.count) == ("billing", 8)
    assert findings("rebalance-storm", [join(at * 10, 1 + at) for at in range(8)]) == []


def test_many_members_of_one_generation_are_no_storm() -> None:
    assert findings("rebalance-storm", [join(at, 4, member=f"m-{at}") for at in range(20)]) == []


def stuck(took: float, code: int = 27) -> list[Call]:
    """m-1 joins and heartbeats on; m-2 wants to join, and waits."""
    calls = [join(0, 1, member="m-1", client_id="busy", on=ONE)]
    calls += [heartbeat(2 + at, code, member="m-1", client_id="busy", on=ONE) for at in range(int(took) - 1)]
    return [*calls, join(1, 2, member="m-2", took=took, client_id="waiting", on=OTHER)]


def test_rebalance_stuck() -> None:
    found = finding("rebalance-stuck", stuck(took=10))
    assert found.subject == {"group": "billing", "clientId": "busy", "memberId": "m-1"}
    assert "waiting" in found.summary
    assert findings("rebalance-stuck", stuck(took=9.5)) == []  # less than 80 % of the rebalance timeout of 12 s


def test_a_short_wait_is_healthy_whatever_the_timeout() -> None:
    assert findings("rebalance-stuck", [join(0, 1, took=3.4)]) == []


def coordinators(*nodes: int) -> list[Call]:
    return [
        call(10, 1, {"key": "billing", "keyType": 0}, {"errorCode": 0, "nodeId": node}, at=at)
        for at, node in enumerate(nodes)
    ]


def test_coordinator_flapping() -> None:
    assert findings("coordinator-flapping", coordinators(1, 1, 2, 2)) == []
    found = finding("coordinator-flapping", coordinators(1, 2, 1))
    assert (found.count, found.subject["coordinators"], found.subject["group"]) == (2, [1, 2], "billing")


def test_transactions_have_coordinators_of_their_own() -> None:
    calls = [call(10, 1, {"key": "x", "keyType": 1}, {"errorCode": 0, "nodeId": node}) for node in (1, 2, 1)]
    assert findings("coordinator-flapping", calls) == []
