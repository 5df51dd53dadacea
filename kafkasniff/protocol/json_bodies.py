"""The JSON of bodies that decode whole and without a problem, straight from their bytes."""

from functools import cache
from typing import Any, NamedTuple

import orjson

from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies import is_unsupported_version
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.headers import API_VERSIONS
from kafkasniff.protocol.json_compiler import SHORT_BYTES, JsonDecoder, Secrets, compile_json_decoder
from kafkasniff.protocol.memory import LONGEST, Memory
from kafkasniff.protocol.primitives import MAX_ELEMENTS, RecordsField
from kafkasniff.protocol.secrets import CONFIG_APIS, SECRET_FIELDS

_NOT_KEPT: dict[str, Any] = {}


class JsonBody(NamedTuple):
    """What a body holds. Equal ones may share it: it is not to be changed."""

    text: bytes
    """The body as Kafka's JSON has it."""
    errors: list[tuple[str, int]]
    """Path and code of each error code that is not zero."""
    topic_ids: list[str]
    """As they come, some perhaps more than once."""
    records: list[RecordsField]
    """Where the `records` fields lie."""
    value: dict[str, Any]
    """The body itself, where there are records; elements of arrays that hold none may be JSON already."""
    is_bare: bool
    """Whether there are neither error codes nor topic ids nor records."""


class JsonReader:
    """Reads the bodies of one API in one version, of requests or of responses."""

    __slots__ = ("_answers_as_0", "_definition", "_memory", "_read_long", "_read_short", "_secrets", "_version")

    def __init__(self, api_key: int, version: int, kind: Kind, show_secrets: bool) -> None:
        """Read bodies of a version that is known; replace secrets unless they are to be shown."""
        self._definition = api_definition(api_key, kind)
        self._version = version
        self._secrets = Secrets()
        if not show_secrets:
            self._secrets = Secrets(SECRET_FIELDS.get((api_key, kind), frozenset()), (api_key, kind) in CONFIG_APIS)
        self._read_short: JsonDecoder | None = None
        self._read_long: JsonDecoder | None = None
        self._memory: Memory[JsonBody] = Memory()
        self._answers_as_0 = api_key == API_VERSIONS and kind == "response"

    def read(self, data: bytes, offset: int, most_elements: int = MAX_ELEMENTS) -> JsonBody | None:
        """Read the body that begins at `offset` and should end with `data`.

        Gives None for a body with any problem, for one in another version, and for one of over `SHORT_BYTES` with more
        than `most_elements` array elements; `decode_body` tells of all three.
        """
        memory, body = self._memory, b""
        if memory.worthwhile and len(data) - offset <= LONGEST:
            body = data[offset:]
            known = memory.get(body)
            if known is not None:
                return known
        if self._answers_as_0 and is_unsupported_version(self._version, data, offset):
            return None
        records: list[RecordsField] = []
        errors: list[tuple[str, int]] = []
        topic_ids: list[str] = []
        decode = self._read_short if len(data) - offset <= SHORT_BYTES else self._read_long
        if decode is None:
            decode = self._compile(len(data) - offset <= SHORT_BYTES)
        try:
            value, end = decode(data, offset, records, errors, topic_ids, most_elements)
        except ProtocolError:
            return None
        if end != len(data):
            return None
        text = orjson.dumps(value)
        if records:
            return JsonBody(text, errors, topic_ids, records, value, False)
        found = JsonBody(text, errors, topic_ids, records, _NOT_KEPT, not errors and not topic_ids)
        if body:
            memory.put(body, found)
        return found

    def _compile(self, short: bool) -> JsonDecoder:
        decoder = compile_json_decoder(self._definition, self._version, self._secrets, short)
        if short:
            self._read_short = decoder
        else:
            self._read_long = decoder
        return decoder


@cache
def json_reader(api_key: int, version: int, kind: Kind, show_secrets: bool) -> JsonReader | None:
    """Give the reader of a layout; None where it is not known."""
    api = APIS.get(api_key)
    if api is None or not api.first_version <= version <= api.last_version:
        return None
    return JsonReader(api_key, version, kind, show_secrets)
