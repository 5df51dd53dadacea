from typing import Any

from kafkasniff.calls.call import Call
from tests.diagnose.kinds import join
from tests.diagnose.made import arrival, call, connection, finding, findings

ONE, OTHER = connection(50_001), connection(50_002)


def test_rebalance_storm() -> None:
    calls = [join(at, 1 + at) for at in range(8)]
    assert findings("rebalance-storm", calls[:7]) == []
    found = finding("rebalance-storm", calls)
    assert (found.subject["group"], found.count) == ("billing", 8)
    assert len(findings("rebalance-storm", [join(at * 29.9 / 7, 1 + at) for at in range(8)])) == 1
    assert findings("rebalance-storm", [join(at * 30.1 / 7, 1 + at) for at in range(30)]) == []


def test_what_members_say_is_quoted() -> None:
    said = [join(at, 1 + at, reason=("cached metadata has changed", None)[at % 2]) for at in range(8)]
    assert "Members say “cached metadata has changed”." in finding("rebalance-storm", said).summary
    usual = "need to re-join with the given member-id: m-1"
    assert "Members say" not in finding("rebalance-storm", [join(at, 1 + at, reason=usual) for at in range(8)]).summary


def test_connect_rebalances_for_each_connector() -> None:
    assert findings("rebalance-storm", [join(at, 1 + at, kind="connect") for at in range(12)]) == []
    leaves = [leave(at / 4, client_id="worker-1", on=connection(50_010 + at)) for at in range(4)]
    assert len(findings("rebalance-storm", [*leaves, *(join(at, 1 + at, kind="connect") for at in range(12))])) == 1


def test_how_often_one_client_comes_and_goes_in_a_storm() -> None:
    def restless(*names: str) -> list[Call]:
        leaves = [leave(index, client_id=name, on=connection(50_010 + index)) for index, name in enumerate(names)]
        return [*leaves, *(join(10 + at, 1 + at) for at in range(8))]

    assert findings("rebalance-storm", restless("shop-0", "shop-0", "shop-0", "shop-1")) == []
    found = finding("rebalance-storm", restless("shop-0", "shop-0", "shop-0", "shop-0"))
    assert found.subject["clientId"] == "shop-0"


def test_many_members_of_one_generation_are_no_storm() -> None:
    assert findings("rebalance-storm", [join(at, 4, member=f"m-{at}") for at in range(20)]) == []


def coordinators(*nodes: int) -> list[Call]:
    return [
        call(10, 1, {"key": "billing", "keyType": 0}, {"errorCode": 0, "nodeId": node}, at=at)
        for at, node in enumerate(nodes)
    ]


def test_coordinator_flapping() -> None:
    assert findings("coordinator-flapping", coordinators(1, 1, 2, 2)) == []
    found = finding("coordinator-flapping", coordinators(1, 2, 1))
    assert (found.count, found.subject["coordinators"], found.subject["group"]) == (2, [1, 2], "billing")
    # A broker was restarted, and leads again.
    assert found.severity == "info"
    for nodes in ((1, 2, 3), (1, 2, 1, 2)):
        assert finding("coordinator-flapping", coordinators(*nodes)).severity == "error"


def test_transactions_have_coordinators_of_their_own() -> None:
    calls = [call(10, 1, {"key": "x", "keyType": 1}, {"errorCode": 0, "nodeId": node}) for node in (1, 2, 1)]
    assert findings("coordinator-flapping", calls) == []


def leave(at: float, **more: Any) -> Call:
    return call(13, 1, {"groupId": "billing", "memberId": "m"}, {"throttleTimeMs": 0, "errorCode": 0}, at=at, **more)


def deploy(members: int, rounds: int = 1) -> list[Call]:
    """Each member leaves, which makes a generation, and comes back, which makes another."""
    calls = []
    for turn in range(rounds * members):
        on, name = connection(50_000 + turn), f"shop-{turn % members}"
        calls.append(leave(2 * turn, client_id=name, on=on))
        calls.append(join(2 * turn + 0.5, 2 * turn + 1, client_id="steady", on=ONE))
        calls.append(join(2 * turn + 1, 2 * turn + 2, member="", client_id=name, on=on))
    return calls


def test_a_rolling_deploy_is_no_storm() -> None:
    assert findings("rebalance-storm", deploy(members=12)) == []
    assert finding("rebalance-storm", deploy(members=4, rounds=3)).subject["group"] == "billing"


def test_members_that_start_one_after_the_other_are_no_storm() -> None:
    calls = [join(at, at + 1, member="", client_id=f"shop-{at}", on=connection(50_000 + at)) for at in range(20)]
    assert findings("rebalance-storm", calls) == []


def consumer(at: float, epoch: int, answered: int, client_id: str = "steady") -> Call:
    """ConsumerGroupHeartbeat (KIP-848)."""
    request = {"groupId": "billing", "memberId": client_id, "memberEpoch": epoch}
    answer = {"throttleTimeMs": 0, "errorCode": 0, "memberId": client_id, "memberEpoch": answered}
    return call(68, 1, request, answer, at=at, client_id=client_id)


def test_rebalance_storm_in_the_newer_protocol() -> None:
    calls = []
    for turn in range(4):
        calls += [consumer(4 * turn, 0, 2 * turn + 1, "restless"), consumer(4 * turn + 1, 2 * turn, 2 * turn + 1)]
        calls += [consumer(4 * turn + 2, -1, -1, "restless"), consumer(4 * turn + 3, 2 * turn + 1, 2 * turn + 2)]
    found = finding("rebalance-storm", calls)
    assert (found.count, found.subject["clientId"]) == (8, "restless")
    assert findings("rebalance-storm", [consumer(at, 5, 5) for at in range(99)]) == []


def test_brokers_that_hear_of_a_move_one_by_one() -> None:
    named = [(0, 1), (9, 1), (10, 2), (10.2, 1), (10.4, 2), (10.6, 1), (10.8, 2)]
    calls = [call(10, 1, {"key": "billing"}, {"errorCode": 0, "nodeId": node}, at=at) for at, node in named]
    assert findings("coordinator-flapping", calls) == []


def test_moves_of_a_rolling_restart_lie_apart() -> None:
    def moves(seconds: float) -> list[Call]:
        calls = coordinators(1, 2, 1)
        for index, each in enumerate(calls):
            each.ended = arrival(index * seconds)
        return calls

    assert findings("coordinator-flapping", moves(301)) == []
    assert finding("coordinator-flapping", moves(299)).count == 2
