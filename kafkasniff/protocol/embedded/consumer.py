"""The consumer group protocol (KIP-429, KIP-792, KIP-881) and the user data of its assignors."""

from collections.abc import Callable
from typing import Final

from kafkasniff.protocol.bodies import DecodedBody, decode_defined, decode_message
from kafkasniff.protocol.embedded import streams
from kafkasniff.protocol.embedded.entries import Opened, field_bytes, is_whole
from kafkasniff.protocol.fields import Field, Message
from kafkasniff.protocol.message_table import MESSAGES

SUBSCRIPTION: Final = "ConsumerProtocolSubscription"
ASSIGNMENT: Final = "ConsumerProtocolAssignment"

STICKY: Final = "sticky"
COOPERATIVE_STICKY: Final = "cooperative-sticky"

_PREVIOUS_ASSIGNMENT = Field(
    "previousAssignment",
    "[]TopicAssignment",
    "0+",
    fields=(Field("topic", "string", "0+"), Field("partitions", "[]int32", "0+")),
)

STICKY_USER_DATA: Final = Message(
    "StickyAssignorUserData",
    versions="0-1",
    flexible="none",
    fields=(_PREVIOUS_ASSIGNMENT, Field("generation", "int32", "1+")),
)
"""STICKY_ASSIGNOR_USER_DATA_V0 and _V1 of Kafka's StickyAssignor; librdkafka, franz-go, sarama and kafka-python write
version 1 for both sticky assignors."""

COOPERATIVE_STICKY_USER_DATA: Final = Message(
    "CooperativeStickyAssignorUserData",
    versions="0",
    flexible="none",
    fields=(Field("generation", "int32", "0"),),
)
"""COOPERATIVE_STICKY_ASSIGNOR_USER_DATA_V0 of Kafka's CooperativeStickyAssignor."""

_VERSION_BYTES = 2
_GENERATION_BYTES = 4


def open_subscription(into: Opened, path: str, data: bytes, assignor: str | None) -> None:
    """Open what a member tells the leader in JoinGroup; the user data by the assignor's name, None if not known."""
    body = _decode(into, path, SUBSCRIPTION, data)
    _open_user_data(into, path, body, assignor, streams.open_subscription_info)


def open_assignment(into: Opened, path: str, data: bytes, assignor: str | None) -> None:
    """Open what the leader gives a member in SyncGroup; the user data by the assignor's name, None if not known."""
    body = _decode(into, path, ASSIGNMENT, data)
    _open_user_data(into, path, body, assignor, streams.open_assignment_info)


def is_assignment(data: bytes) -> bool:
    """Tell whether all of `data` is an assignment, when nothing says what it is."""
    version = _read_version(data)
    if not 0 <= version <= MESSAGES[ASSIGNMENT].last_version:
        return False
    return is_whole(decode_message(ASSIGNMENT, version, data, _VERSION_BYTES))


def _read_version(data: bytes) -> int:
    return int.from_bytes(data[:_VERSION_BYTES], signed=True) if len(data) >= _VERSION_BYTES else -1


def _decode(into: Opened, path: str, name: str, data: bytes) -> DecodedBody | None:
    version = _read_version(data)
    if version < 0:
        into.add_problem(path, f"expected {name} with its version, found {data[:_VERSION_BYTES].hex() or 'no bytes'}")
        return None
    # Kafka reads versions that it does not know as the last one that it does (ConsumerProtocol).
    body = decode_message(name, min(version, MESSAGES[name].last_version), data, _VERSION_BYTES)
    into.add(path, name, version, body)
    return body


def _open_user_data(
    into: Opened,
    path: str,
    body: DecodedBody | None,
    assignor: str | None,
    open_streams: Callable[[Opened, str, bytes], None],
) -> None:
    data = field_bytes(body.value["userData"]) if body is not None and body.value is not None else b""
    if not data:
        return
    path += ".userData"
    if assignor == streams.ASSIGNOR:
        open_streams(into, path, data)
    elif assignor == COOPERATIVE_STICKY and len(data) == _GENERATION_BYTES:
        into.add(path, COOPERATIVE_STICKY_USER_DATA.name, 0, decode_defined(COOPERATIVE_STICKY_USER_DATA, 0, data))
    elif assignor in (STICKY, COOPERATIVE_STICKY):
        _open_sticky(into, path, data)


def _open_sticky(into: Opened, path: str, data: bytes) -> None:
    """Open the user data of a sticky assignor, which bears no version: Kafka tries 1, then 0."""
    version = 1
    body = decode_defined(STICKY_USER_DATA, 1, data)
    if not is_whole(body):
        older = decode_defined(STICKY_USER_DATA, 0, data)
        if is_whole(older):
            version, body = 0, older
    into.add(path, STICKY_USER_DATA.name, version, body)
