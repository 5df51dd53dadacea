"""Bodies as JSON, with what they name."""

from typing import NamedTuple

from kafkasniff.protocol.api_keys import API_VERSIONS
from kafkasniff.protocol.bodies import is_unsupported_version
from kafkasniff.protocol.bodies.json_tables import json_table
from kafkasniff.protocol.bodies.json_writer import JsonWriter
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.primitives import MAX_ELEMENTS

_WRITER = JsonWriter()


class JsonBody(NamedTuple):
    """What a body holds."""

    text: bytes
    """The body as Kafka's JSON has it."""
    errors: list[tuple[str, int]]
    """Path and code of each error code that is not zero."""
    topic_ids: list[str]
    """As they come, some perhaps more than once."""
    records: list[tuple[str, int, int]]
    """Path, begin and end of the `records` fields."""


def read_json(key: int, version: int, kind: Kind, show_secrets: bool, data: bytes, offset: int = 0) -> JsonBody | None:
    """Read the body that begins at `offset` and should end with `data`; None for one with any problem."""
    if key == API_VERSIONS and kind == "response" and is_unsupported_version(version, data, offset):
        return None
    try:
        text = _WRITER.read(json_table(key, version, kind, show_secrets), data, offset, MAX_ELEMENTS)
    except ProtocolError:
        return None
    return None if text is None else JsonBody(text, _WRITER.errors, _WRITER.topic_ids, _WRITER.places)
