"""Decode the bodies of requests and responses, and the messages that are no API."""

import struct
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.compiler import Decoder, compile_decoder
from kafkasniff.protocol.definitions import api_definition, message_definition
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Kind, Message
from kafkasniff.protocol.headers import API_VERSIONS
from kafkasniff.protocol.interpreter import INTERPRETED_SHARE, interpret
from kafkasniff.protocol.message_table import MESSAGES
from kafkasniff.protocol.primitives import MAX_ELEMENTS, RecordsField
from kafkasniff.protocol.typed_names import typed_names
from kafkasniff.protocol.visitors import EntityFinder, ErrorFinder, compile_entity_finder, compile_error_finder

UNSUPPORTED_VERSION = 35
FIRST_FLEXIBLE_API_VERSIONS = 3

FETCH = 1
_ANSWERED_AS_0 = (1, 2)
"""Versions of Fetch that 0.9 brokers answer in the layout of version 0 when they fail (FetchRequest.handleError)."""

_ERROR_AND_COUNT = struct.Struct(">hi")


@dataclass(slots=True)
class DecodedBody:
    """What a body holds."""

    version: int
    """The version in which it was decoded."""
    value: dict[str, Any] | None
    """The whole body as Kafka's JSON has it; None when it did not decode whole."""
    partial: dict[str, Any] | None = None
    """What there is of a body that did not decode whole."""
    end: int = 0
    """Offset after the last byte that was read."""
    problems: list[tuple[int | None, str, str]] = field(default_factory=list)
    """Offset in the data, path and message of each."""
    records: list[RecordsField] = field(default_factory=list)
    """Where the `records` fields lie."""


def decode_body(
    api_key: int, api_version: int, kind: Kind, data: bytes, offset: int, most_elements: int = MAX_ELEMENTS
) -> DecodedBody:
    """Decode the body that begins at `offset` and should end with `data`; never raises.

    Of a body with more than `most_elements` array elements, or one that is spoilt, a tenth of them is shown.
    """
    api = APIS.get(api_key)
    if api is None:
        return _undecoded(api_version, f"API key {api_key} is not known", data, offset)
    version = api_version
    if api_key == API_VERSIONS and kind == "response" and is_unsupported_version(api_version, data, offset):
        version = 0
    if not api.first_version <= version <= api.last_version:
        known = f"versions {api.first_version} to {api.last_version} are known"
        return _undecoded(version, f"version {version} of {api.name} is not known, {known}", data, offset)
    definition = api_definition(api_key, kind)
    body = _decode(_api_decoder(api_key, version, kind), definition, version, data, offset, most_elements)
    if body.problems and api_key == FETCH and kind == "response" and version in _ANSWERED_AS_0:
        return _as_version_0(data, offset) or body
    return body


def _as_version_0(data: bytes, offset: int) -> DecodedBody | None:
    """Decode a Fetch response as version 0; None where it is not that, to the last byte."""
    definition = api_definition(FETCH, "response")
    body = _decode(_api_decoder(FETCH, 0, "response"), definition, 0, data, offset)
    return body if body.value is not None and body.value["responses"] and not body.problems else None


def decode_message(name: str, version: int, data: bytes, offset: int = 0) -> DecodedBody:
    """Decode a message that is no API, by Kafka's name for it; raises KeyError for an unknown name only."""
    known = MESSAGES[name]
    if not known.first_version <= version <= known.last_version:
        text = f"versions {known.first_version} to {known.last_version} are known"
        return _undecoded(version, f"version {version} of {name} is not known, {text}", data, offset)
    return _decode(_message_decoder(name, version), message_definition(name), version, data, offset)


def find_errors(api_key: int, version: int, kind: Kind, value: dict[str, Any]) -> list[tuple[str, int]]:
    """Give path and code of each error code in a decoded body that is not zero."""
    return _error_finder(api_key, version, kind)(value)


def find_entities(api_key: int, version: int, kind: Kind, value: dict[str, Any]) -> dict[str, list[Any]]:
    """Give what a decoded body names, by entity type, each in order of appearance without repeats.

    The types are `topicName`, `topicId`, `groupId`, `transactionalId`, `brokerId`, `producerId`.
    """
    found = _entity_finder(api_key, version, kind)(value)
    for entity, names in typed_names(api_key, kind, value).items():
        found[entity] = list(dict.fromkeys(found.get(entity, []) + names))
    return found


def is_unsupported_version(api_version: int, data: bytes, offset: int) -> bool:
    """Tell whether an ApiVersions answer is in version 0 as the broker does not know the version asked (KIP-511)."""
    if api_version == 0 or len(data) - offset < 6:
        return False
    error_code: int
    count: int
    error_code, count = _ERROR_AND_COUNT.unpack_from(data, offset)
    if error_code != UNSUPPORTED_VERSION or count < 0:
        return False
    if api_version >= FIRST_FLEXIBLE_API_VERSIONS:
        # There the count is one byte and never zero; in version 0 it is an int32, of fewer than 2^24 APIs.
        return count < 1 << 24
    # Versions 1 and 2 have throttleTimeMs behind version 0's layout.
    return len(data) - offset == 6 + 6 * count


def _undecoded(version: int, message: str, data: bytes, offset: int) -> DecodedBody:
    left = max(len(data) - offset, 0)
    return DecodedBody(version, None, end=offset, problems=[(offset, "", f"{message}: {left} bytes not decoded")])


@cache
def _api_decoder(api_key: int, version: int, kind: Kind) -> Decoder:
    return compile_decoder(api_definition(api_key, kind), version)


@cache
def _error_finder(api_key: int, version: int, kind: Kind) -> ErrorFinder:
    return compile_error_finder(api_definition(api_key, kind), version)


@cache
def _entity_finder(api_key: int, version: int, kind: Kind) -> EntityFinder:
    return compile_entity_finder(api_definition(api_key, kind), version)


@cache
def _message_decoder(name: str, version: int) -> Decoder:
    return compile_decoder(message_definition(name), version)


def _decode(
    decoder: Decoder, definition: Message, version: int, data: bytes, offset: int, most_elements: int = MAX_ELEMENTS
) -> DecodedBody:
    records: list[RecordsField] = []
    try:
        value, end = decoder(data, offset, records, most_elements)
    except ProtocolError:
        pass
    else:
        return _whole(version, value, end, data, records)
    return _interpreted(definition, version, data, offset, most_elements)


def _whole(version: int, value: dict[str, Any], end: int, data: bytes, records: list[RecordsField]) -> DecodedBody:
    body = DecodedBody(version, value, None, end, [], records)
    if end < len(data):
        # Real clients do this, and Kafka's reader does not mind.
        body.problems.append((end, "", f"expected the end of the body, found {len(data) - end} more bytes"))
    return body


def _interpreted(definition: Message, version: int, data: bytes, offset: int, most_elements: int) -> DecodedBody:
    """Decode what the compiled decoder refused: text that is not UTF-8, or a message that is not whole."""
    result = interpret(definition, version, data, offset, most_elements // INTERPRETED_SHARE)
    if result.error is None:
        body = _whole(version, result.value, result.end, data, result.records)
    else:
        body = DecodedBody(version, None, result.value, result.end, [], result.records)
        body.problems.append((result.error.offset, result.error.path, result.error.message))
    for at, path in result.malformed_texts:
        body.problems.append((at, path, "expected UTF-8, found other bytes (shown as U+FFFD)"))
    return body
