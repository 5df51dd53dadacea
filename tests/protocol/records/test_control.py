import struct
from typing import Any

import pytest

from kafkasniff.protocol.records.control import decode_control


def key(number: int, version: int = 0) -> bytes:
    return struct.pack(">hh", version, number)


@pytest.mark.parametrize(("number", "name"), [(0, "ABORT"), (1, "COMMIT")])
@pytest.mark.parametrize("value_version", [0, 7])
def test_end_of_a_transaction(number: int, name: str, value_version: int) -> None:
    control, problem = decode_control(key(number), struct.pack(">hi", value_version, 17))
    assert control == {"version": 0, "typeId": number, "type": name, "coordinatorEpoch": 17}
    assert problem == ""


def test_kraft_version() -> None:
    control, problem = decode_control(key(5), bytes.fromhex("0000 0001 00"))
    assert control["json"] == {"version": 0, "kRaftVersion": 1}
    assert (control["type"], problem) == ("KRAFT_VERSION", "")


def test_unknown_types_are_named_so() -> None:
    assert decode_control(key(99, version=3), b"??") == ({"version": 3, "typeId": 99, "type": "UNKNOWN"}, "")


@pytest.mark.parametrize(
    ("record_key", "value", "known"),
    [
        (None, b"", {}),
        (b"\0\0\0", b"", {}),
        (key(1), None, {"version": 0, "typeId": 1, "type": "COMMIT"}),
        (key(1), b"\0", {"version": 0, "typeId": 1, "type": "COMMIT"}),
        (key(1), b"\0\0\0", {"version": 0, "typeId": 1, "type": "COMMIT"}),
        (key(2), b"\0\0\0", {"version": 0, "typeId": 2, "type": "LEADER_CHANGE", "json": None}),
        (key(3), b"\0\x09", {"version": 0, "typeId": 3, "type": "SNAPSHOT_HEADER", "json": None}),
    ],
)
def test_what_does_not_decode_is_said(record_key: bytes | None, value: bytes | None, known: dict[str, Any]) -> None:
    control, problem = decode_control(record_key, value)
    assert control == known
    assert problem
