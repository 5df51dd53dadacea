"""Kafka Connect's group protocol (KIP-415, KIP-507): ConnectProtocol and IncrementalCooperativeConnectProtocol.

The messages are neither compact nor tagged, and each begins with its version.
"""

from typing import Final

from kafkasniff.protocol.bodies import decode_defined
from kafkasniff.protocol.embedded.entries import Opened, field_bytes, is_whole
from kafkasniff.protocol.fields import Field, Message

_VERSION = Field("version", "int16", "0+")
_CONNECTOR_TASKS = (Field("connector", "string", "0+"), Field("tasks", "[]int32", "0+"))

WORKER_STATE: Final = Message(
    "WorkerState",
    versions="0-2",
    flexible="none",
    fields=(
        _VERSION,
        Field("url", "string", "0+"),
        Field("configOffset", "int64", "0+"),
        Field("allocation", "bytes", "1+", nullable="1+"),
    ),
)
"""What a worker tells the leader. The allocation is an assignment with a version of its own; null before the first."""

ASSIGNMENT: Final = Message(
    "Assignment",
    versions="0-2",
    flexible="none",
    fields=(
        _VERSION,
        Field("error", "int16", "0+"),
        Field("leader", "string", "0+"),
        Field("leaderUrl", "string", "0+"),
        Field("configOffset", "int64", "0+"),
        Field("assignment", "[]ConnectorAssignment", "0+", fields=_CONNECTOR_TASKS, nullable="1+"),
        Field("revoked", "[]ConnectorAssignment", "1+", fields=_CONNECTOR_TASKS, nullable="1+"),
        Field("delay", "int32", "1+"),
    ),
)
"""What the leader gives a worker. Task -1 is the connector itself, the delay is in ms; from version 1 on the assignment
holds what is new only."""

_VERSION_BYTES = 2
_LAST_VERSION = 2


def open_worker_state(into: Opened, path: str, data: bytes) -> None:
    """Open the metadata of a worker in JoinGroup."""
    allocation = _open(into, path, WORKER_STATE, data).get("allocation")
    if allocation:
        open_assignment(into, f"{path}.allocation", field_bytes(allocation))


def open_assignment(into: Opened, path: str, data: bytes) -> None:
    """Open the assignment of a worker in SyncGroup."""
    _open(into, path, ASSIGNMENT, data)


def is_assignment(data: bytes) -> bool:
    """Tell whether all of `data` is an assignment, when nothing says what it is."""
    version = _read_version(data)
    return 0 <= version <= _LAST_VERSION and is_whole(decode_defined(ASSIGNMENT, version, data))


def _read_version(data: bytes) -> int:
    return int.from_bytes(data[:_VERSION_BYTES], signed=True) if len(data) >= _VERSION_BYTES else -1


def _open(into: Opened, path: str, definition: Message, data: bytes) -> dict[str, object]:
    """Open a message; give its fields, none when it did not decode whole."""
    version = _read_version(data)
    name = f"Extended{definition.name}" if version > 0 else definition.name
    if version < 0:
        found = data[:_VERSION_BYTES].hex() or "no bytes"
        into.add_problem(path, f"expected {name} of Kafka Connect with its version, found {found}")
        return {}
    # Versions to come are read as the last that is known (IncrementalCooperativeConnectProtocol).
    body = decode_defined(definition, min(version, _LAST_VERSION), data)
    into.add(path, name, version, body)
    return body.value or {}
