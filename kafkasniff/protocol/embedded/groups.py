"""Metadata and assignments of the members of classic groups, by the group's protocol type."""

from __future__ import annotations

from kafkasniff.protocol.embedded import connect, consumer
from kafkasniff.protocol.embedded.entries import Opened

TYPE_CHECKING = False
if TYPE_CHECKING:  # lists of calls do without it (cli/light_typing)
    from typing import Final

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
