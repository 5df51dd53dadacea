# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Bytes as hexadecimal text, and messages field by field with their offsets."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from kafkasniff.calls.call import Call, Side
from kafkasniff.calls.enrichment.topics import may_fetch_metadata_log
from kafkasniff.protocol.api_keys import FETCH
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.decoding import DecodedBody, body_table
from kafkasniff.protocol.bodies.offsets import TracedField, trace
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import JsonValue
from kafkasniff.protocol.headers import read_response_header, response_header_version
from kafkasniff.protocol.metadata_log import CLUSTER_METADATA, CLUSTER_METADATA_TOPIC_ID
from kafkasniff.protocol.secrets.configs import REDACTED
from kafkasniff.protocol.secrets.messages import may_hold_secrets
from kafkasniff.render.words import ELLIPSIS, count_text, show

_UNREAD = re.compile(r"(^tagged fields of the header|taggedFields\[[0-9]+\]\.bytes|[rR]ecords)$")
"""Paths of what is not decoded field by field."""

_BYTES_A_LINE = 16
_MOST_BYTES = 4096
_MOST_FIELDS = 4096
_BYTES_OF_A_FIELD = 10
_OCTETS_WIDTH = 3 * _BYTES_OF_A_FIELD + 1


def hexdump_lines(data: bytes, indent: int = 0, start: int = 0) -> Iterator[str]:
    """Give `data` as offset, hexadecimal bytes and printable ASCII, 16 bytes a line; at most 4 KiB of it."""
    prefix = " " * indent
    for position in range(0, min(len(data), _MOST_BYTES), _BYTES_A_LINE):
        row = data[position : position + _BYTES_A_LINE]
        ascii_text = "".join([chr(byte) if 0x20 <= byte < 0x7F else "." for byte in row])
        yield f"{prefix}{start + position:06x}  {row[:8].hex(' '):<23}  {row[8:].hex(' '):<23}  {ascii_text}"
    if len(data) > _MOST_BYTES:
        yield f"{prefix}{ELLIPSIS} {len(data) - _MOST_BYTES:,} more bytes"


class ShownField(NamedTuple):
    """A field of a message as it may be shown."""

    path: str
    offset: int
    """In the frame's content."""
    length: int
    value: str
    is_secret: bool
    """Whether its bytes are not to be shown; `value` does not have them."""


class ShownMessage(NamedTuple):
    """One side of a call field by field."""

    fields: list[ShownField]
    header_fields: int
    """How many of them are of the header."""
    read_to: int
    """Where what the decoder did not read begins, in the frame's content."""
    hides_rest: bool
    """Whether that may hold secrets, and is not to be shown."""

    def hidden(self, size: int) -> list[tuple[int, int]]:
        """Give where the bytes that are not to be shown begin and end, in a content of `size` bytes."""
        found = [(field.offset, field.offset + field.length) for field in self.fields if field.is_secret]
        return [*found, (self.read_to, size)] if self.hides_rest and self.read_to < size else found


def shown_message(call: Call, side: Side) -> ShownMessage | None:
    """Give the fields of one side of a call; None where it is not there, or its layout is not known.

    Secrets are left out unless the call shows them, and so is all that may hold some.
    """
    frame = call.request if side == "request" else call.response
    body = call.request_body if side == "request" else call.response_body
    if frame is None or call.header is None or body is None:
        return None
    data = frame.data
    hides = not call.show_secrets and _may_hold_secrets(call.header.api_key, body, data)
    fields: list[TracedField] = []
    api = APIS.get(call.header.api_key)
    begin = call.header.end if side == "request" else _response_body_offset(call)
    if api is not None and api.first_version <= body.version <= api.last_version:
        fields = trace(body_table(api.key, body.version, side), data, begin)
    tree = body.value
    if tree is None:
        tree = body.partial or {}
        # Where a whole message is damaged, a secret may stand in any field; what a limit left out was not redacted.
        end = begin if hides and frame.whole else body.end
        fields = [entry for entry in fields if entry.offset + entry.length <= end]
    hidden: set[str] = set()
    if not call.show_secrets and may_hold_secrets(call.header.api_key):
        hidden = {path.removeprefix(".") for path in _redacted_paths(tree)}
    read_to = max((entry.offset + entry.length for entry in fields), default=begin)
    shown = []
    head = [*_header_fields(call, side, begin)]
    for entry in (*head, *fields):
        path, offset, length, value = entry
        # Zeros, and a length of 0, are what a field without anything in it has.
        secret = path in hidden or (
            hides and _UNREAD.search(path) is not None and any(data[offset : offset + length]) and value != 0
        )
        shown.append(ShownField(path, offset, length, REDACTED if secret else _value_text(value), secret))
    return ShownMessage(shown, len(head), read_to, hides)


def field_lines(call: Call, side: Side, indent: int) -> Iterator[str]:
    """Give one side of a call field by field: offset in the frame's content, bytes, path and value.

    What the decoder did not read follows as a hexdump. Bytes of secrets are left out as `shown_message` says.
    """
    frame = call.request if side == "request" else call.response
    message = shown_message(call, side)
    if frame is None or message is None:
        return
    data, prefix = frame.data, " " * indent
    fields, read_to = message.fields, message.read_to
    for path, offset, length, value, is_secret in fields[:_MOST_FIELDS]:
        octets = REDACTED if is_secret else _hex(data[offset : offset + length])
        yield f"{prefix}{offset:06x}  {octets.ljust(_OCTETS_WIDTH)} {show(path, 200)} = {value}"
    if len(fields) > _MOST_FIELDS:
        yield f"{prefix}{ELLIPSIS} {len(fields) - _MOST_FIELDS:,} more fields"
    if read_to < len(data) and message.hides_rest:
        left = count_text(len(data) - read_to, "byte")
        yield f"{prefix}{read_to:06x}  {left} not shown: may hold secrets; --show-secrets shows them"
    elif read_to < len(data):
        yield from hexdump_lines(data[read_to:], indent, read_to)


def _may_hold_secrets(api_key: int, body: DecodedBody, data: bytes) -> bool:
    """Tell whether secrets may stand in what is not decoded of a message; the metadata log has some too."""
    if api_key != FETCH or body.value is None:
        return may_hold_secrets(api_key) or (api_key == FETCH and may_fetch_metadata_log(data))
    topics = body.value.get("topics") or body.value.get("responses") or ()
    return any(
        topic.get("topic") == CLUSTER_METADATA or topic.get("topicId") == CLUSTER_METADATA_TOPIC_ID for topic in topics
    )


def _header_fields(call: Call, side: Side, end: int) -> Iterator[TracedField]:
    """Give the header's fields: request headers are fixed but for the client id, response headers altogether."""
    header = call.header
    assert header is not None
    if side == "response":
        yield TracedField("correlationId", 0, 4, call.correlation_id)
        position = 4
    else:
        yield TracedField("requestApiKey", 0, 2, header.api_key)
        yield TracedField("requestApiVersion", 2, 2, header.api_version)
        yield TracedField("correlationId", 4, 4, header.correlation_id)
        position = 8
        if header.header_version > 0:
            length = 2 + len((header.client_id or "").encode())
            yield TracedField("clientId", position, length, header.client_id)
            position += length
    if position < end:
        yield TracedField("tagged fields of the header", position, end - position, None)


def _response_body_offset(call: Call) -> int:
    assert call.response is not None
    assert call.header is not None
    version = response_header_version(call.header.api_key, call.header.api_version)
    try:
        return read_response_header(call.response.data, version)[1]
    except ProtocolError:
        return len(call.response.data)


def _value_text(value: JsonValue) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return show(value) or '""'


def _hex(data: bytes) -> str:
    text = data[:_BYTES_OF_A_FIELD].hex(" ")
    return f"{text} {ELLIPSIS}" if len(data) > _BYTES_OF_A_FIELD else text


def _redacted_paths(value: JsonValue) -> Iterator[str]:
    """Give the paths, behind that of `value`, of the values that were replaced because they are secrets."""
    if isinstance(value, str):
        if REDACTED in value:
            yield ""
        return
    members = (
        ((f".{name}", member) for name, member in value.items())
        if isinstance(value, dict)
        else ((f"[{index}]", element) for index, element in enumerate(value))
        if isinstance(value, list)
        else ()
    )
    for step, member in members:
        for rest in _redacted_paths(member):
            yield step + rest
