from typing import Any

from kafkasniff.calls.call import Call
from tests.diagnose.made import call, connection, finding, findings

COMMIT, COORDINATOR, PROTOCOL = "commit-from-outside", "coordinator-unavailable", "group-protocol-unsupported"


def commit(at: float, code: int = 25, member: str = "") -> Call:
    topics = [{"name": "orders", "partitions": [{"partitionIndex": 0, "errorCode": code}]}]
    return call(8, 7, {"groupId": "g", "memberId": member, "topics": topics}, {"topics": topics}, at=at)


def test_commits_from_outside() -> None:
    assert findings(COMMIT, [commit(at) for at in range(2)]) == []
    found = finding(COMMIT, [commit(at) for at in range(3)])
    assert (found.subject["group"], found.subject["topic"], found.count) == ("g", "orders", 3)
    assert findings(COMMIT, [commit(at, member="m-1") for at in range(9)]) == []
    assert findings(COMMIT, [commit(at, code=27) for at in range(9)]) == []


def test_a_member_that_lost_its_place_is_not_outside() -> None:
    """As librdkafka commits when it has left: without a member id, on the connection on which it had joined."""
    joined = call(11, 5, {"groupId": "g", "memberId": ""}, {"errorCode": 79})
    commits = [commit(at) for at in range(1, 5)]
    assert findings(COMMIT, [joined, *commits]) == []
    assert finding("commit-after-rebalance", [joined, *commits]).count == 4
    assert findings("commit-after-rebalance", commits) == []


def lookup(at: float, code: int = 0, kind: int = 0, on: Any = None, **more: Any) -> Call:
    answer = {"errorCode": code, "nodeId": 1, "host": "10.0.0.2", "port": 9092}
    return call(10, 2, {"key": "g", "keyType": kind}, answer, at=at, on=on or connection(50_000), **more)


def test_coordinator_unavailable() -> None:
    on = connection()
    assert findings(COORDINATOR, [lookup(at, 15, on=on) for at in range(7)]) == []
    assert findings(COORDINATOR, [lookup(at * 9, 15, on=on) for at in range(2)]) == []
    assert finding(COORDINATOR, [lookup(at, 15, on=on) for at in range(8)]).subject["group"] == "g"
    # kafka-go asks every five seconds.
    assert finding(COORDINATOR, [lookup(at * 5, 15, on=on) for at in range(3)]).subject["group"] == "g"
    subject = finding(COORDINATOR, [lookup(at, 15, kind=1, on=on) for at in range(8)]).subject
    assert subject["transactionalId"] == "g"
    assert "group" not in subject
    assert findings(COORDINATOR, [lookup(at, 14, on=on) for at in range(30)]) == []


def test_partitions_of_a_share_group_without_coordinator_are_one_finding() -> None:
    """As Kafka 4.3.1's Persister asks where __share_group_state cannot be made (KIP-932)."""

    def asked(at: float, partition: int) -> Call:
        key = f"jobs:nightly:SGiejkw2SSiVuQDEsFf34Q:{partition}"
        answer = {"coordinators": [{"key": key, "nodeId": -1, "host": "", "port": -1, "errorCode": 15}]}
        return call(10, 6, {"keyType": 2, "coordinatorKeys": [key]}, answer, at=at)

    found = finding(COORDINATOR, [asked(at, at % 3) for at in range(9)])
    assert found.subject["group"] == "jobs:nightly"
    assert "no coordinator for share group jobs:nightly" in found.summary


def versions(*keys: int) -> Call:
    offered = [{"apiKey": key, "minVersion": 0, "maxVersion": 1} for key in keys]
    return call(18, 3, {}, {"errorCode": 0, "apiKeys": offered}, on=connection(50_000))


def looked_up(count: int, connections: int = 2) -> list[Call]:
    made = [connection(50_000 + index) for index in range(connections)]
    return [lookup(at, on=made[at % connections]) for at in range(count)]


def test_a_consumer_of_the_new_protocol_on_an_old_broker() -> None:
    old, new = versions(10, 11, 18), versions(10, 11, 18, 68)
    assert findings(PROTOCOL, [old, *looked_up(2)]) == []
    found = finding(PROTOCOL, [old, *looked_up(3)])
    assert found.subject.items() >= {"clientId": "shop", "group": "g"}.items()
    assert findings(PROTOCOL, [old, *looked_up(9, connections=1)]) == []
    assert findings(PROTOCOL, [new, *looked_up(9)]) == []
    assert findings(PROTOCOL, looked_up(9)) == []


def test_a_broker_on_which_the_new_protocol_is_switched_off() -> None:
    def heartbeat(code: int) -> Call:
        return call(68, 1, {"groupId": "g", "memberId": "m", "memberEpoch": 0}, {"errorCode": code})

    found = finding(PROTOCOL, [versions(10, 11, 18, 68), heartbeat(35)])
    assert found.subject.items() >= {"clientId": "shop", "group": "g", "client": "10.0.0.1:50000"}.items()
    assert "10.0.0.2:9092 refuses ConsumerGroupHeartbeat" in found.summary
    assert findings(PROTOCOL, [versions(10, 11, 18, 68), heartbeat(0), heartbeat(110)]) == []


def test_clients_that_do_something_else() -> None:
    old = versions(10, 11, 18)
    for key, version in ((11, 5), (9, 5), (1, 11), (15, 5), (8, 7)):
        worked = call(key, version, {}, {}, at=5, on=connection(50_009))
        assert findings(PROTOCOL, [old, *looked_up(9), worked]) == []
    assert findings(PROTOCOL, [old, *looked_up(9), call(68, 0, {}, None, on=connection(50_009))]) == []


def test_a_coordinator_that_cannot_be_reached() -> None:
    """Whoever looks for it on each of its connections never gets to it: the address is wrong, not the protocol."""
    made = [connection(50_000 + index) for index in range(5)]
    told = [
        call(
            18,
            3,
            {},
            {"errorCode": 0, "apiKeys": [{"apiKey": key, "minVersion": 0, "maxVersion": 1} for key in (10, 18)]},
            at=at,
            on=on,
        )
        for at, on in enumerate(made)
    ]
    looked = [lookup(at + 0.5, on=on) for at, on in enumerate(made)]
    assert findings(PROTOCOL, [*told, *looked]) == []
    assert finding(PROTOCOL, [*told, *looked[:-1]]).count == 4
