from kafkasniff.protocol.embedded import groups
from kafkasniff.protocol.embedded.entries import Opened

CONSUMER_ASSIGNMENT = bytes.fromhex("0000 00000001 0001 61 00000001 00000000 ffffffff")
CONNECT_ASSIGNMENT = bytes.fromhex("0000 0000 0001 6c 0001 75 0000000000000005 00000000")


def types_of(data: bytes, protocol_type: str | None) -> list[str]:
    into = Opened([], [])
    groups.open_assignment(into, "assignment", data, protocol_type, None)
    assert into.problems == []
    return [entry.type for entry in into.embedded]


def test_assignments_are_opened_by_protocol_type() -> None:
    assert types_of(CONSUMER_ASSIGNMENT, "consumer") == ["ConsumerProtocolAssignment"]
    assert types_of(CONNECT_ASSIGNMENT, "connect") == ["Assignment"]


def test_assignments_of_unknown_groups_are_told_by_what_decodes_whole() -> None:
    assert types_of(CONSUMER_ASSIGNMENT, None) == ["ConsumerProtocolAssignment"]
    assert types_of(CONNECT_ASSIGNMENT, None) == ["Assignment"]
    assert types_of(CONSUMER_ASSIGNMENT[:-1], None) == []
    assert types_of(b'{"version":1}', None) == []


def test_other_protocol_types_stay_closed() -> None:
    assert types_of(CONSUMER_ASSIGNMENT, "sr") == []
    into = Opened([], [])
    groups.open_metadata(into, "metadata", b'{"version":1}', "sr", "v0")
    groups.open_metadata(into, "metadata", b"", "consumer", "range")
    groups.open_assignment(into, "assignment", b"", "consumer", "range")
    assert into == Opened([], [])
