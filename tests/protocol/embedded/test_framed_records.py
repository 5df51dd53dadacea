"""Bytes written by hand after KIP-631 and KIP-405."""

import pytest

from kafkasniff.protocol.embedded.entries import Embedded, Opened
from kafkasniff.protocol.embedded.framed_records import open_record


def opened(topic: str, value: bytes | None) -> Opened:
    into = Opened([], [])
    open_record(into, topic, value)
    return into


def test_a_metadata_record() -> None:
    value = bytes.fromhex("01 02 00 02 74") + bytes(15) + b"\x01\x00"
    fields = {"name": "t", "topicId": "AAAAAAAAAAAAAAAAAAAAAQ"}
    assert opened("__cluster_metadata", value) == Opened([Embedded("value", "TopicRecord", 0, fields)], [])


def test_a_remote_log_record_of_the_same_key_is_another() -> None:
    partition = bytes.fromhex("02 74") + bytes(16) + bytes.fromhex("00000003 00")
    value = bytes.fromhex("01 02 00") + partition + bytes.fromhex("00000001 0000000000000005 01 00")
    into = opened("__remote_log_metadata", value)
    assert [(entry.type, entry.version) for entry in into.embedded] == [("RemotePartitionDeleteMetadataRecord", 0)]


@pytest.mark.parametrize("value", [None, b"", b"\x01\x02", b"\xff" * 6, b"\x02\x02\x00", b"\x01\x7f\x00"])
def test_what_has_no_known_frame_is_a_problem(value: bytes | None) -> None:
    into = opened("__cluster_metadata", value)
    assert into.embedded == []
    assert [path for path, _ in into.problems] == ["value"]


def test_an_unknown_version_is_said() -> None:
    into = opened("__cluster_metadata", bytes.fromhex("01 02 63 00"))
    assert into.embedded == [Embedded("value", "TopicRecord", 99, None)]
    assert "version 99 of TopicRecord is not known" in into.problems[0][1]
