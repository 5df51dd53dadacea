from base64 import b64encode
from typing import Any

from kafkasniff.protocol.embedded.openers import open_embedded

SUBSCRIPTION = bytes.fromhex("0000 00000001 0001 61 ffffffff")
ASSIGNMENT = bytes.fromhex("0000 00000001 0001 61 00000001 00000000 ffffffff")
WORKER_STATE = bytes.fromhex("0000 0001 75 0000000000000005")
COOPERATIVE = bytes.fromhex("0001 00000000 00000004 00000002 00000000")
# One gauge called "g" without data points.
METRICS = bytes.fromhex("0a 09 12 07 12 05 0a 01 67 2a 00")


def text(raw: bytes) -> str:
    return b64encode(raw).decode()


def found(side: Any, api_key: int, version: int, value: dict[str, Any], **group: str) -> list[tuple[str, str]]:
    opened = open_embedded(side, api_key, version, value, **group)
    assert opened.problems == []
    return [(entry.path, entry.type) for entry in opened.embedded]


def test_join_group_requests_by_each_protocol() -> None:
    protocols = [
        {"name": "range", "metadata": text(SUBSCRIPTION)},
        {"name": "cooperative-sticky", "metadata": text(COOPERATIVE)},
    ]
    assert found("request", 11, 9, {"protocolType": "consumer", "protocols": protocols}) == [
        ("protocols[0].metadata", "ConsumerProtocolSubscription"),
        ("protocols[1].metadata", "ConsumerProtocolSubscription"),
        ("protocols[1].metadata.userData", "CooperativeStickyAssignorUserData"),
    ]


def test_join_group_responses_by_their_own_or_the_given_protocol_type() -> None:
    members = [{"memberId": "m", "metadata": text(WORKER_STATE)}]
    opened = [("members[0].metadata", "WorkerState")]
    with_type = {"protocolType": "connect", "protocolName": "default", "members": members}
    without = {"protocolName": "default", "members": members}
    assert found("response", 11, 9, with_type) == opened
    assert found("response", 11, 5, without, protocol_type="connect") == opened
    assert found("response", 11, 5, without) == []


def test_sync_group_tells_assignments_without_a_protocol_type() -> None:
    opened = [("assignments[0].assignment", "ConsumerProtocolAssignment")]
    assignments = [{"memberId": "m", "assignment": text(ASSIGNMENT)}]
    assert found("request", 14, 3, {"assignments": assignments}) == opened
    assert found("request", 14, 5, {"protocolType": "consumer", "assignments": assignments}) == opened
    assert found("response", 14, 3, {"assignment": text(ASSIGNMENT)}) == [("assignment", "ConsumerProtocolAssignment")]
    assert found("response", 14, 5, {"protocolType": None, "protocolName": None, "assignment": ""}) == []


def test_describe_groups_opens_each_member() -> None:
    member = {"memberMetadata": text(SUBSCRIPTION), "memberAssignment": text(ASSIGNMENT)}
    group = {"protocolType": "consumer", "protocolData": "range", "members": [member]}
    assert found("response", 15, 6, {"groups": [{**group, "members": []}, group]}) == [
        ("groups[1].members[0].memberMetadata", "ConsumerProtocolSubscription"),
        ("groups[1].members[0].memberAssignment", "ConsumerProtocolAssignment"),
    ]


def test_envelopes_show_their_principal() -> None:
    principal = text(bytes.fromhex("0000 05 55736572 02 61 00 00"))
    assert found("request", 58, 0, {"requestPrincipal": principal}) == [("requestPrincipal", "DefaultPrincipalData")]
    assert found("request", 58, 0, {"requestPrincipal": None}) == []


def test_telemetry_is_opened() -> None:
    value = {"compressionType": 0, "metrics": text(METRICS)}
    assert found("request", 72, 0, value) == [("metrics", "MetricsData")]


def test_other_bodies_hold_nothing() -> None:
    assert found("request", 3, 12, {"topics": []}) == []
    assert found("response", 72, 0, {"errorCode": 0}) == []
