"""Metadata and assignments of the members of classic groups, by the group's protocol type."""

from typing import Final

from kafkasniff.protocol.embedded import connect, consumer
from kafkasniff.protocol.embedded.entries import Opened

CONSUMER: Final = "consumer"
CONNECT: Final = "connect"


def open_metadata(into: Opened, path: str, data: bytes, protocol_type: str | None, protocol_name: str | None) -> None:
    """Open what a member tells the leader; nothing is added for protocol types that are not known."""
    if not data:
        return
    if protocol_type == CONSUMER:
        consumer.open_subscription(into, path, data, protocol_name)
    elif protocol_type == CONNECT:
        connect.open_worker_state(into, path, data)


def open_assignment(into: Opened, path: str, data: bytes, protocol_type: str | None, protocol_name: str | None) -> None:
    """Open what the leader gives a member; where the protocol type is None, tell it by what decodes whole."""
    if not data:
        return
    if protocol_type == CONSUMER or (protocol_type is None and consumer.is_assignment(data)):
        consumer.open_assignment(into, path, data, protocol_name)
    elif protocol_type == CONNECT or (protocol_type is None and connect.is_assignment(data)):
        connect.open_assignment(into, path, data)
