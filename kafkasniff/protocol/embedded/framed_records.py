"""Records of `__cluster_metadata` (KIP-631) and `__remote_log_metadata` (KIP-405).

Their values begin with three unsigned varints: frame version, API key of the record, its version
(AbstractApiMessageSerde).
"""

from functools import cache
from typing import Final

from kafkasniff.protocol.bodies import decode_message
from kafkasniff.protocol.embedded.entries import Opened
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.message_table import MESSAGES
from kafkasniff.protocol.metadata_log import CLUSTER_METADATA
from kafkasniff.protocol.primitives import read_unsigned_varint

TOPICS: Final = frozenset({CLUSTER_METADATA, "__remote_log_metadata"})

FRAME_VERSION = 1
_PREFIX = "frame version, API key and version"


def open_record(into: Opened, topic: str, value: bytes | None) -> None:
    """Open the value of a record of one of `TOPICS`; their keys are null."""
    if value is None:
        into.add_problem("value", f"expected a record with {_PREFIX}, found null")
        return
    offset = 0
    numbers = []
    try:
        for _ in range(3):
            number, offset = read_unsigned_varint(value, offset)
            numbers.append(number)
    except (IndexError, ProtocolError):
        into.add_problem("value", f"expected {_PREFIX}, found {len(value)} bytes that are not these")
        return
    frame_version, api_key, version = numbers
    if frame_version != FRAME_VERSION:
        into.add_problem("value", f"expected frame version {FRAME_VERSION}, found {frame_version}")
        return
    name = _names(topic).get(api_key)
    if name is None:
        into.add_problem("value", f"record {api_key} of {topic} is not known (version {version}, {len(value)} bytes)")
        return
    into.add("value", name, version, decode_message(name, version, value, offset))


@cache
def _names(topic: str) -> dict[int, str]:
    """Give the names of a topic's records by API key."""
    return {
        message.record_type: message.name
        for message in MESSAGES.values()
        if message.topic == topic and message.record_type is not None
    }
