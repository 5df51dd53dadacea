"""Records of the group, transaction and share coordinators: an int16 record type before the key, an int16 version
before the value (CoordinatorRecordSerde)."""

from functools import cache
from typing import Any, Final

from kafkasniff.protocol.bodies import decode_message
from kafkasniff.protocol.embedded import groups
from kafkasniff.protocol.embedded.entries import Opened, field_bytes
from kafkasniff.protocol.message_table import MESSAGES

TOPICS: Final = frozenset({"__consumer_offsets", "__transaction_state", "__share_group_state"})

_PREFIX_BYTES = 2


def open_record(into: Opened, topic: str, key: bytes | None, value: bytes | None) -> None:
    """Open the key and the value of a record of one of `TOPICS`; a value that is null, a tombstone, adds nothing."""
    record_type = _read_prefix(key)
    if key is None or record_type is None:
        found = "null" if key is None else f"{len(key)} bytes"
        into.add_problem("key", f"expected a key with a record type, found {found}")
        return
    key_name = _key_names(topic).get(record_type)
    if key_name is None:
        into.add_problem("key", f"record type {record_type} of {topic} is not known")
        return
    # Keys have one version each, which is not written: the record type stands in its place.
    key_version = MESSAGES[key_name].first_version
    into.add("key", key_name, key_version, decode_message(key_name, key_version, key, _PREFIX_BYTES))
    if value is not None:
        _open_value(into, f"{key_name.removesuffix('Key')}Value", value)


@cache
def _key_names(topic: str) -> dict[int, str]:
    """Give the names of a topic's keys by record type."""
    return {
        message.record_type: message.name
        for message in MESSAGES.values()
        if message.topic == topic and message.name.endswith("Key") and message.record_type is not None
    }


def _read_prefix(data: bytes | None) -> int | None:
    return None if data is None or len(data) < _PREFIX_BYTES else int.from_bytes(data[:_PREFIX_BYTES], signed=True)


def _open_value(into: Opened, name: str, data: bytes) -> None:
    version = _read_prefix(data)
    if version is None:
        into.add_problem("value", f"expected {name} with its version, found {len(data)} bytes")
        return
    body = decode_message(name, version, data, _PREFIX_BYTES)
    into.add("value", name, version, body)
    if body.value is None:
        return
    if name == "GroupMetadataValue":
        _open_classic_group(into, body.value)
    elif name == "ConsumerGroupMemberMetadataValue":
        _open_classic_member(into, body.value)


def _open_classic_group(into: Opened, value: dict[str, Any]) -> None:
    of_group = value["protocolType"], value["protocol"]
    for index, member in enumerate(value["members"]):
        path = f"value.members[{index}]"
        groups.open_metadata(into, f"{path}.subscription", field_bytes(member["subscription"]), *of_group)
        groups.open_assignment(into, f"{path}.assignment", field_bytes(member["assignment"]), *of_group)


def _open_classic_member(into: Opened, value: dict[str, Any]) -> None:
    """Open what a member of the classic protocol in a group of the new one supports (KIP-848, online migration)."""
    metadata = value.get("classicMemberMetadata") or {"supportedProtocols": ()}
    for index, protocol in enumerate(metadata["supportedProtocols"]):
        path = f"value.classicMemberMetadata.supportedProtocols[{index}].metadata"
        groups.open_metadata(into, path, field_bytes(protocol["metadata"]), groups.CONSUMER, protocol["name"])
