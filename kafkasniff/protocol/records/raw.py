"""Records as read from the wire, before their keys and values are text or base64."""

from typing import Any, NamedTuple

from kafkasniff.protocol.errors import ProtocolError


class RawRecords(NamedTuple):
    """Records in which all text is the bytes in Latin-1: that takes least time to make and to check."""

    records: list[dict[str, Any]]
    """With offset, timestamp, key, value and headers, in this order; headers are a tuple, as an empty one is free."""
    texts: list[str]
    """All keys, values, header keys and header values once more, except perhaps empty ones."""
    errors: list[ProtocolError]
    """What is wrong, and what ended the reading too early; offsets are within the content that was read."""


def record_path(index: int) -> str:
    """Give the path of a record within its batch."""
    return f".records[{index}]"
