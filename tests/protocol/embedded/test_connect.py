"""Bytes written by hand after ConnectProtocol and IncrementalCooperativeConnectProtocol."""

import pytest

from kafkasniff.protocol.embedded import connect
from kafkasniff.protocol.embedded.entries import Embedded, Opened

URL = "0003 752f61"
OFFSET = "0000000000000005"
ASSIGNMENT_2 = (
    f"0002 0001 0001 6c {URL} {OFFSET}"
    "00000001 0001 63 00000002 ffffffff 00000000"
    "00000001 0001 64 00000001 00000001"
    "00000bb8"
)
VALUE_2 = {
    "version": 2,
    "error": 1,
    "leader": "l",
    "leaderUrl": "u/a",
    "configOffset": 5,
    "assignment": [{"connector": "c", "tasks": [-1, 0]}],
    "revoked": [{"connector": "d", "tasks": [1]}],
    "delay": 3000,
}


def opened_state(data: str) -> Opened:
    into = Opened([], [])
    connect.open_worker_state(into, "metadata", bytes.fromhex(data))
    return into


def opened_assignment(data: str) -> Opened:
    into = Opened([], [])
    connect.open_assignment(into, "assignment", bytes.fromhex(data))
    return into


def test_state_of_an_eager_worker() -> None:
    value = {"version": 0, "url": "u/a", "configOffset": -1}
    assert opened_state(f"0000 {URL} ffffffffffffffff") == Opened([Embedded("metadata", "WorkerState", 0, value)], [])


def test_state_with_an_allocation() -> None:
    size = len(bytes.fromhex(ASSIGNMENT_2)).to_bytes(4).hex()
    into = opened_state(f"0002 {URL} {OFFSET} {size} {ASSIGNMENT_2}")
    assert [(entry.path, entry.type, entry.version) for entry in into.embedded] == [
        ("metadata", "ExtendedWorkerState", 2),
        ("metadata.allocation", "ExtendedAssignment", 2),
    ]
    assert into.embedded[1].value == VALUE_2
    assert into.problems == []


def test_state_before_the_first_allocation() -> None:
    into = opened_state(f"0001 {URL} {OFFSET} ffffffff")
    value = {"version": 1, "url": "u/a", "configOffset": 5, "allocation": None}
    assert into.embedded == [Embedded("metadata", "ExtendedWorkerState", 1, value)]


def test_assignment_of_version_0_has_nothing_revoked() -> None:
    into = opened_assignment(f"0000 0000 0001 6c {URL} {OFFSET} 00000000")
    assert into.embedded[0].type == "Assignment"
    assert into.embedded[0].value is not None
    assert into.embedded[0].value["assignment"] == []
    assert "revoked" not in into.embedded[0].value


def test_assignment_of_version_2() -> None:
    into = opened_assignment(ASSIGNMENT_2)
    assert into == Opened([Embedded("assignment", "ExtendedAssignment", 2, VALUE_2)], [])


@pytest.mark.parametrize("data", ["", "00", "ffff"])
def test_what_has_no_version_is_a_problem(data: str) -> None:
    into = opened_assignment(data)
    assert into.embedded == []
    assert [path for path, _ in into.problems] == ["assignment"]


def test_a_cut_assignment_is_partial() -> None:
    into = opened_assignment(ASSIGNMENT_2[:-8])
    assert into.embedded[0].value is None
    assert into.embedded[0].partial is not None
    assert into.embedded[0].partial["revoked"] == VALUE_2["revoked"]
    assert len(into.problems) == 1


def test_an_assignment_is_told_only_when_all_bytes_are_one() -> None:
    whole = bytes.fromhex(ASSIGNMENT_2)
    assert connect.is_assignment(whole)
    assert not any(connect.is_assignment(whole[:end]) for end in range(len(whole)))
    assert not connect.is_assignment(whole + b"\0")
