"""Bytes written by hand after the schemas of the group and transaction coordinators."""

from kafkasniff.protocol.embedded.coordinator_records import open_record
from kafkasniff.protocol.embedded.entries import Embedded, Opened

OFFSET_KEY = bytes.fromhex("0001 0001 67 0001 74 00000002")
GROUP_KEY = bytes.fromhex("0002 0001 67")
SUBSCRIPTION = "0000 00000001 0001 61 ffffffff"
ASSIGNMENT = "0000 00000001 0001 61 00000001 00000000 ffffffff"


def opened(topic: str, key: bytes | None, value: bytes | None) -> Opened:
    into = Opened([], [])
    open_record(into, topic, key, value)
    return into


def test_an_offset_commit() -> None:
    value = bytes.fromhex("0003 0000000000000007 00000001 0000 0000000000000009")
    assert opened("__consumer_offsets", OFFSET_KEY, value) == Opened(
        [
            Embedded("key", "OffsetCommitKey", 0, {"group": "g", "topic": "t", "partition": 2}),
            Embedded(
                "value",
                "OffsetCommitValue",
                3,
                {"offset": 7, "leaderEpoch": 1, "metadata": "", "commitTimestamp": 9},
            ),
        ],
        [],
    )


def test_a_tombstone_has_a_key_only() -> None:
    into = opened("__consumer_offsets", OFFSET_KEY, None)
    assert [entry.path for entry in into.embedded] == ["key"]
    assert into.problems == []


def test_the_members_of_a_classic_group_are_opened() -> None:
    member = (
        "0001 6d 0001 63 0001 68 00000064 000000c8"
        f"{len(bytes.fromhex(SUBSCRIPTION)):08x} {SUBSCRIPTION} {len(bytes.fromhex(ASSIGNMENT)):08x} {ASSIGNMENT}"
    )
    head = "0001 0008 636f6e73756d6572 00000001 0005 72616e6765 0001 6d"
    into = opened("__consumer_offsets", GROUP_KEY, bytes.fromhex(f"{head} 00000001 {member}"))
    assert [(entry.path, entry.type, entry.version) for entry in into.embedded] == [
        ("key", "GroupMetadataKey", 0),
        ("value", "GroupMetadataValue", 1),
        ("value.members[0].subscription", "ConsumerProtocolSubscription", 0),
        ("value.members[0].assignment", "ConsumerProtocolAssignment", 0),
    ]
    assert into.problems == []


def test_the_classic_protocols_of_a_member_of_a_new_group_are_opened() -> None:
    size = len(bytes.fromhex(SUBSCRIPTION))
    classic = f"01 00000064 02 06 72616e6765 {size + 1:02x} {SUBSCRIPTION} 00 00"
    value = f"0000 00 00 02 63 02 68 01 00 00000064 00 01 00 {len(bytes.fromhex(classic)):02x} {classic}"
    into = opened("__consumer_offsets", bytes.fromhex("0005 0001 67 0001 6d"), bytes.fromhex(value))
    assert into.problems == []
    assert [(entry.path, entry.type) for entry in into.embedded[1:]] == [
        ("value", "ConsumerGroupMemberMetadataValue"),
        ("value.classicMemberMetadata.supportedProtocols[0].metadata", "ConsumerProtocolSubscription"),
    ]


def test_the_same_type_is_another_record_in_another_topic() -> None:
    into = opened("__transaction_state", bytes.fromhex("0000 0001 78"), None)
    assert into.embedded == [Embedded("key", "TransactionLogKey", 0, {"transactionalId": "x"})]
    into = opened("__share_group_state", bytes.fromhex("0000 02 67") + bytes(16) + bytes.fromhex("00000001 00"), None)
    assert [entry.type for entry in into.embedded] == ["ShareSnapshotKey"]


def test_what_is_not_known_is_said() -> None:
    assert opened("__consumer_offsets", bytes.fromhex("0063 00"), b"") == Opened(
        [], [("key", "record type 99 of __consumer_offsets is not known")]
    )
    into = opened("__consumer_offsets", OFFSET_KEY, bytes.fromhex("0063 00"))
    assert into.embedded[1] == Embedded("value", "OffsetCommitValue", 99, None)
    assert [path for path, _ in into.problems] == ["value"]


def test_keys_and_values_without_their_prefix_are_problems() -> None:
    for key in (None, b"", b"\0"):
        assert [path for path, _ in opened("__consumer_offsets", key, b"").problems] == ["key"]
    assert [path for path, _ in opened("__consumer_offsets", OFFSET_KEY, b"\0").problems] == ["value"]
