"""Bodies as dicts: of requests and responses, of messages that are no API, whole or as much as there is."""

import struct
from functools import cache, lru_cache
from typing import Any

from kafkasniff.fields import Fields
from kafkasniff.protocol.api_keys import API_VERSIONS, FETCH
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.tables import FieldTable, make_table
from kafkasniff.protocol.bodies.values import borrow_reader, give_back
from kafkasniff.protocol.bodies.walk import passed
from kafkasniff.protocol.definitions import api_definition, message_definition
from kafkasniff.protocol.error_codes.numbers import UNSUPPORTED_VERSION
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Kind, Message
from kafkasniff.protocol.message_table import MESSAGES
from kafkasniff.protocol.primitives import MAX_ELEMENTS, MAX_PARTIAL_ELEMENTS, PARTIAL_SHARE, RecordsField

FIRST_FLEXIBLE_API_VERSIONS = 3

_ANSWERED_AS_0 = (1, 2)
"""Versions of Fetch that 0.9 brokers answer in the layout of version 0 when they fail (FetchRequest.handleError)."""

_DEFINED = (MAX_PARTIAL_ELEMENTS, MAX_PARTIAL_ELEMENTS)
_USUAL = (MAX_ELEMENTS, MAX_PARTIAL_ELEMENTS)
"""Most array elements of a message, and those shown of one that is damaged."""

_ERROR_AND_COUNT = struct.Struct(">hi")


class DecodedBody(Fields):
    """What a body holds."""

    __slots__ = ("end", "partial", "problems", "records", "value", "version")

    def __init__(
        self,
        version: int,
        value: dict[str, Any] | None,
        partial: dict[str, Any] | None = None,
        end: int = 0,
        problems: list[tuple[int | None, str, str]] | None = None,
        records: list[RecordsField] | None = None,
    ) -> None:
        """Take what was decoded."""
        self.version = version
        """The version in which it was decoded."""
        self.value = value
        """The whole body as Kafka's JSON has it; None when it did not decode whole."""
        self.partial = partial
        """What there is of a body that did not decode whole."""
        self.end = end
        """Offset after the last byte that was read."""
        self.problems = [] if problems is None else problems
        """Offset in the data, path and message of each."""
        self.records = [] if records is None else records
        """Where the `records` fields lie."""


def decode_body(
    api_key: int,
    api_version: int,
    kind: Kind,
    data: bytes,
    offset: int,
    most_elements: int = MAX_ELEMENTS,
    values: bool = True,
) -> DecodedBody:
    """Decode the body that begins at `offset` and should end with `data`; never raises.

    Of a body with more than `most_elements` array elements, or one that is damaged, a tenth of them is shown. Without
    `values` it is checked all the same, but no field of it is given; that is quicker.
    """
    api = APIS.get(api_key)
    if api is None:
        return _unknown(api_version, kind, f"API key {api_key} version {api_version}", "", data, offset)
    version = api_version
    if api_key == API_VERSIONS and kind == "response" and is_unsupported_version(api_version, data, offset):
        version = 0
    if not api.first_version <= version <= api.last_version:
        known = f", versions {api.first_version} to {api.last_version} are"
        return _unknown(version, kind, f"{api.name} version {version}", known, data, offset)
    most = (most_elements, most_elements // PARTIAL_SHARE)
    table = body_table(api_key, version, kind) if values else _passed_table(api_key, version, kind)
    body = _decode(table, data, offset, most)
    if body.problems and api_key == FETCH and kind == "response" and version in _ANSWERED_AS_0:
        return _as_version_0(data, offset) or body
    return body


def _as_version_0(data: bytes, offset: int) -> DecodedBody | None:
    """Decode a Fetch response as version 0; None where it is not that, to the last byte."""
    body = _decode(body_table(FETCH, 0, "response"), data, offset, _USUAL)
    return body if body.value is not None and body.value["responses"] and not body.problems else None


def decode_message(name: str, version: int, data: bytes, offset: int = 0) -> DecodedBody:
    """Decode a message that is no API, by Kafka's name for it; raises KeyError for an unknown name only."""
    known = MESSAGES[name]
    if not known.first_version <= version <= known.last_version:
        text = f"versions {known.first_version} to {known.last_version} are known"
        return _undecoded(version, f"version {version} of {name} is not known, {text}", data, offset)
    return _decode(_message_table(name, version), data, offset, _USUAL)


def decode_defined(definition: Message, version: int, data: bytes, offset: int = 0) -> DecodedBody:
    """Decode a message by its definition, of which the index of messages need not know; never raises.

    A version that the definition does not have must not be asked for.
    """
    return _decode(_defined_table(definition, version), data, offset, _DEFINED, "message")


def fits(api_key: int, version: int, kind: Kind, data: bytes, offset: int) -> bool:
    """Tell whether all from `offset` on is a body of a known layout without any problem; quicker than decoding it."""
    return passed(_passed_table(api_key, version, kind), data, offset, MAX_ELEMENTS) == len(data)


@lru_cache(maxsize=256)
def _defined_table(definition: Message, version: int) -> FieldTable:
    return make_table(definition, version)


@cache
def body_table(api_key: int, version: int, kind: Kind) -> FieldTable:
    """Give the table of an API's request or response in a version that is known."""
    return make_table(api_definition(api_key, kind), version)


@cache
def _passed_table(api_key: int, version: int, kind: Kind) -> FieldTable:
    return make_table(api_definition(api_key, kind), version, frozenset())


@cache
def _message_table(name: str, version: int) -> FieldTable:
    return make_table(message_definition(name), version)


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


def _unknown(version: int, kind: Kind, what: str, known: str, data: bytes, offset: int) -> DecodedBody:
    """Give a body whose layout is not known. One problem is enough for a call: that of its request."""
    if kind == "response":
        return DecodedBody(version, None, end=offset)
    return _undecoded(version, f"the layout of {what} is not known{known} (--definitions takes more)", data, offset)


def _decode(table: FieldTable, data: bytes, offset: int, most: tuple[int, int], what: str = "body") -> DecodedBody:
    reader = borrow_reader()
    # Not the exception, which refers to this function's frame, and that to it.
    failed: tuple[int | None, str, str] | None = None
    try:
        reader.read(table, data, offset, most[0], False)
    except ProtocolError:
        # Text that is not UTF-8, or not a whole message: read once more, to tell of it and show what there is.
        try:
            reader.read(table, data, offset, most[1], True)
        except ProtocolError as error:
            failed = error.offset, error.path, error.message
    body = DecodedBody(table.version, reader.value, None, reader.p, [], reader.records)
    if failed is not None:
        body.value, body.partial = None, reader.value
        body.problems.append(failed)
    elif reader.p < len(data):
        # Real clients do this, and Kafka's reader does not mind.
        body.problems.append((reader.p, "", f"expected the end of the {what}, found {len(data) - reader.p} more bytes"))
    for at, path in reader.malformed:
        body.problems.append((at, path, "expected UTF-8, found other bytes (shown as U+FFFD)"))
    give_back(reader)
    return body
