"""Kafka Connect's group messages, against what the workers logged of them."""

import json
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.reading import read
from kafkasniff.render.json.lines import JsonLines
from tests.conformance.recordings import HEALTHY
from tests.conftest import needs_shared

pytestmark = needs_shared

JOIN_GROUP, SYNC_GROUP = 11, 14
GROUP = "connect-cluster"

Facts = dict[str, Any]
Exchange = tuple[Call, Facts, Facts]


@pytest.fixture(scope="module", params=["connect-eager", "connect-sessioned"])
def recording(request: pytest.FixtureRequest) -> tuple[Facts, list[Exchange]]:
    facts = json.loads((HEALTHY / f"{request.param}.json").read_text())
    return facts, list(_exchanges(str(HEALTHY / f"{request.param}.pcap")))


def _exchanges(path: str) -> Iterator[Exchange]:
    """Give the JoinGroup and SyncGroup calls of the workers' group with request and response."""
    for call in read(path):
        if isinstance(call, Call) and call.api_key in (JOIN_GROUP, SYNC_GROUP):
            assert call.request_body is not None
            assert call.response_body is not None
            asked, answered = call.request_body.value, call.response_body.value
            assert asked is not None
            assert answered is not None
            if asked["groupId"] == GROUP:
                yield call, asked, answered


def opened(call: Call, side: str) -> dict[str, Facts]:
    """Give the messages within a body by path as the JSON line has them, none of which may have a problem."""
    line = json.loads(JsonLines().line(call))
    assert "problems" not in line
    found = {entry["path"]: entry["value"] for entry in line.get("decoded", ()) if entry["where"] == side}
    assert all(value is not None for value in found.values())
    return found


def encoded_worker_state(value: Facts, allocation: bytes | None) -> bytes:
    """Write a worker's metadata as Kafka Connect does."""
    url = value["url"].encode()
    head = struct.pack(f">hh{len(url)}sq", value["version"], len(url), url, value["configOffset"])
    if value["version"] == 0:
        return head
    return head + (struct.pack(">i", -1) if allocation is None else struct.pack(">i", len(allocation)) + allocation)


def encoded_assignment(value: Facts) -> bytes:
    """Write a worker's assignment as Kafka Connect does."""
    leader, url = value["leader"].encode(), value["leaderUrl"].encode()
    data = struct.pack(f">hhh{len(leader)}s", value["version"], value["error"], len(leader), leader)
    data += struct.pack(f">h{len(url)}sq", len(url), url, value["configOffset"])
    data += encoded_connectors(value["assignment"])
    if value["version"] > 0:
        data += encoded_connectors(value["revoked"]) + struct.pack(">i", value["delay"])
    return data


def encoded_connectors(connectors: list[Facts] | None) -> bytes:
    if connectors is None:
        return struct.pack(">i", -1)
    data = struct.pack(">i", len(connectors))
    for connector in connectors:
        name, tasks = connector["connector"].encode(), connector["tasks"]
        data += struct.pack(f">h{len(name)}si{len(tasks)}i", len(name), name, len(tasks), *tasks)
    return data


def as_logged(value: Facts) -> Facts:
    """Give an assignment in the words of the workers' log, which shows defaults for what version 0 lacks."""
    assigned, revoked = value["assignment"] or [], value.get("revoked") or []
    return {
        **{name: value[name] for name in ("error", "leader", "leaderUrl", "configOffset")},
        "connectors": sorted(entry["connector"] for entry in assigned if -1 in entry["tasks"]),
        "tasks": sorted((entry["connector"], task) for entry in assigned for task in entry["tasks"] if task >= 0),
        "revokedConnectors": sorted(entry["connector"] for entry in revoked if -1 in entry["tasks"]),
        "revokedTasks": sorted((entry["connector"], task) for entry in revoked for task in entry["tasks"] if task >= 0),
        "delay": value.get("delay", 0),
    }


def logged(entry: Facts) -> Facts:
    names = ("error", "leader", "leaderUrl", "configOffset", "delay")
    sets = {name: sorted(entry[name]) for name in ("connectors", "revokedConnectors")}
    tasks = {
        name: sorted((task["connector"], task["task"]) for task in entry[name]) for name in ("tasks", "revokedTasks")
    }
    return {**{name: entry[name] for name in names}, **sets, **tasks}


def test_join_group_requests_are_what_the_workers_sent(
    recording: tuple[Facts, list[Exchange]], add_figure: Callable[..., None]
) -> None:
    facts, exchanges = recording
    found: Counter[Any] = Counter()
    for call, asked, _ in exchanges:
        if call.api_key == JOIN_GROUP:
            values = opened(call, "request")
            protocols = []
            for index, protocol in enumerate(asked["protocols"]):
                path = f"protocols[{index}].metadata"
                allocation = values.get(f"{path}.allocation")
                state = encoded_worker_state(values[path], encoded_assignment(allocation) if allocation else None)
                protocols.append((protocol["name"], state.hex()))
            found[asked["memberId"], tuple(protocols)] += 1
    expected = Counter(
        (sent["member"], tuple((protocol["name"], protocol["metadataHex"]) for protocol in sent["protocols"]))
        for sent in facts["sentJoinGroups"]
    )
    add_figure("Connect", f"{facts['name']} sentJoinGroups", logged=expected.total(), equal=(found & expected).total())
    assert found == expected


def test_member_states_are_what_the_leader_logged(
    recording: tuple[Facts, list[Exchange]], add_figure: Callable[..., None]
) -> None:
    facts, exchanges = recording
    found = {}
    for call, _, answered in exchanges:
        if call.api_key == JOIN_GROUP:
            values = opened(call, "response")
            for index, member in enumerate(answered["members"]):
                state = values[f"members[{index}].metadata"]
                allocation = values.get(f"members[{index}].metadata.allocation")
                found[answered["generationId"], member["memberId"]] = {
                    "url": state["url"],
                    "configOffset": state["configOffset"],
                    "currentAssignment": as_logged(allocation) if allocation else None,
                }
    expected = {
        (entry["generation"], entry["member"]): {
            "url": entry["url"],
            "configOffset": entry["configOffset"],
            "currentAssignment": logged(entry["currentAssignment"]) if entry["currentAssignment"] else None,
        }
        for entry in facts["memberStates"]
    }
    add_figure("Connect", f"{facts['name']} memberStates", logged=len(expected), equal=_equal(found, expected))
    if facts["memberStates"]:
        assert found == expected
    # The eager assignor does not log them.
    assert {state["url"] for state in found.values()} == {
        f"{worker['config']['listeners']}/" for worker in facts["clients"]
    }


def test_assignments_that_leaders_sent(
    recording: tuple[Facts, list[Exchange]], add_figure: Callable[..., None]
) -> None:
    facts, exchanges = recording
    found = {}
    for call, asked, _ in exchanges:
        if call.api_key == SYNC_GROUP:
            values = opened(call, "request")
            for index, entry in enumerate(asked["assignments"]):
                value = values[f"assignments[{index}].assignment"]
                found[asked["generationId"], entry["memberId"]] = as_logged(value)
    expected = {(entry["generation"], entry["member"]): logged(entry) for entry in facts["leaderAssignments"]}
    add_figure("Connect", f"{facts['name']} leaderAssignments", logged=len(expected), equal=_equal(found, expected))
    assert found == expected


def test_assignments_that_members_received(
    recording: tuple[Facts, list[Exchange]], add_figure: Callable[..., None]
) -> None:
    facts, exchanges = recording
    found = {}
    for call, asked, answered in exchanges:
        if call.api_key == SYNC_GROUP and answered["errorCode"] == 0:
            value = opened(call, "response")["assignment"]
            assert value["version"] == facts["truth"]["protocolVersion"]
            found[asked["generationId"], asked["memberId"]] = as_logged(value)
    expected = {(entry["generation"], entry["member"]): logged(entry) for entry in facts["expectedAssignments"]}
    add_figure("Connect", f"{facts['name']} expectedAssignments", logged=len(expected), equal=_equal(found, expected))
    assert found == expected


def _equal(found: dict[Any, Facts], expected: dict[Any, Facts]) -> int:
    return sum(found.get(key) == value for key, value in expected.items())
