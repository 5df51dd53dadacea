"""The JSON of bodies that decode whole and without a problem, straight from their bytes."""

from functools import cache, lru_cache
from typing import NamedTuple

from kafkasniff.protocol.api_keys import API_VERSIONS
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.decoding import is_unsupported_version
from kafkasniff.protocol.bodies.json_writer import JsonWriter, mark_config, mark_topic_names
from kafkasniff.protocol.bodies.tables import FieldTable, make_table, tables_in
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import MOST_LAYOUTS, Kind
from kafkasniff.protocol.primitives import MAX_ELEMENTS, RecordsField
from kafkasniff.protocol.secrets.messages import CONFIG_APIS, CONFIG_ARRAYS, SECRET_FIELDS

_FREE: list[JsonWriter] = []
"""Writers that nobody uses now."""


class JsonBody(NamedTuple):
    """What a body holds."""

    text: bytes
    """The body as Kafka's JSON has it."""
    errors: list[tuple[str, int]]
    """Path and code of each error code that is not zero."""
    topic_ids: list[str]
    """As they come, some perhaps more than once."""
    records: list[RecordsField]
    """Where the `records` fields lie."""


class JsonReader:
    """Reads the bodies of one API in one version, of requests or of responses."""

    __slots__ = ("_answers_as_0", "_kind", "_layout", "_table")

    def __init__(self, api_key: int, version: int, kind: Kind, show_secrets: bool) -> None:
        """Read bodies of a version that is known; replace secrets unless they are to be shown."""
        self._layout = api_key, version
        self._kind: Kind = kind
        self._table = json_table(api_key, version, kind, show_secrets)
        self._answers_as_0 = api_key == API_VERSIONS and kind == "response"

    def read(self, data: bytes, offset: int, most_elements: int = MAX_ELEMENTS) -> JsonBody | None:
        """Read the body that begins at `offset` and should end with `data`.

        Gives None for a body with any problem, for one in another version, and for one with more than `most_elements`
        array elements; `decode_body` tells of all three.
        """
        if self._answers_as_0 and is_unsupported_version(self._layout[1], data, offset):
            return None
        writer = _FREE.pop() if _FREE else JsonWriter()
        try:
            text = writer.read(self._table, data, offset, most_elements)
        except ProtocolError:
            return None
        else:
            records = [RecordsField(*place) for place in writer.places]
            return None if text is None else JsonBody(text, writer.errors, writer.topic_ids, records)
        finally:
            _FREE.append(writer)


@lru_cache(maxsize=MOST_LAYOUTS)
def json_reader(api_key: int, version: int, kind: Kind, show_secrets: bool) -> JsonReader | None:
    """Give the reader of a layout; None where it is not known."""
    api = APIS.get(api_key)
    if api is None or not api.first_version <= version <= api.last_version:
        return None
    return JsonReader(api_key, version, kind, show_secrets)


@cache
def json_table(api_key: int, version: int, kind: Kind, show_secrets: bool) -> FieldTable:
    """Give the table of a layout that is known, with its secrets marked unless they are to be shown."""
    table = make_table(api_definition(api_key, kind), version)
    if not show_secrets:
        secrets = SECRET_FIELDS.get((api_key, kind), frozenset())
        for field in tables_in(table):
            field.is_secret = field.name in secrets
            if (api_key, kind) in CONFIG_APIS and field.name in CONFIG_ARRAYS:
                mark_config(field)
    for field in tables_in(table):
        if field.type_name == "records":
            mark_topic_names(field)
    return table
