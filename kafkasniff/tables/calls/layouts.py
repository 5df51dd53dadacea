"""By which tables the bodies of calls are read for rows: fields that say something of a row have a role there."""

import re
from functools import cache

from kafkasniff.calls.contents import HOLDING_APIS
from kafkasniff.protocol.api_keys import API_VERSIONS, FIND_COORDINATOR
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.finders import is_entity, leading_fields
from kafkasniff.protocol.bodies.tables import FieldTable, is_error_code, make_table
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.fields import Field, Kind, fields_of
from kafkasniff.protocol.typed_names import CONFIG_RESOURCES
from kafkasniff.tables.bodies import NAMED, SETTINGS
from kafkasniff.tables.bodies import RACK as RACK_FIELD
from kafkasniff.tables.partition_rows import BROKERS_OWN, MEASURES, OLD_OFFSETS
from kafkasniff.tables.topic_partitions import PARTITION_FIELDS

TOPIC = 1
GROUP = 2
PARTITION = 3
TOLD_PARTITION = 4
"""One of which there is a row."""
RACK = 5
KEY = 6
"""What FindCoordinator asks for: a group or a transactional id, as …"""
KEY_TYPE = 7
"""… this says."""
MEASURE = 8
"""The first of `MEASURES`; the others follow."""
SETTING = 32
"""The first of `SETTINGS`; the others follow."""
UNREAD = -1
"""Of a whole body: there is nothing to be read in it."""

_NAMES = ("topics", "groups")
_COLUMNS = {name: re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name) for name in (*SETTINGS, RACK_FIELD)}
"""The columns of `calls` that show settings."""

_KEYS = {"key": KEY, "coordinatorKeys": KEY, "keyType": KEY_TYPE}
_OTHERWISE_READ = HOLDING_APIS | {API_VERSIONS, *(key for key, _ in CONFIG_RESOURCES)}
"""APIs in whose bodies there is more to see than fields with names: their calls are few."""

_GROUP = frozenset({"groupId"})


@cache
def table_of(
    api_key: int, version: int, side: Kind, with_partitions: bool, columns: frozenset[str] | None = None
) -> FieldTable | None:
    """Give the table by which a body is read, with what is told of partitions or without.

    None where its calls are to be read otherwise.

    With `columns`, only what these columns of `calls` show is read, and no batches; a table of which nothing is to be
    read has the role `UNREAD`.
    """
    api = APIS.get(api_key)
    if api is None or api_key in _OTHERWISE_READ or not api.first_version <= version <= api.last_version:
        return None
    definition = api_definition(api_key, side)

    def is_wanted(field: Field) -> bool:
        return (has_names and is_entity(field, NAMED)) or (columns is None and field.type == "records")

    has_names = columns is None or not columns.isdisjoint(_NAMES)
    wanted = leading_fields(definition, version, is_wanted)
    if with_partitions and leading_fields(definition, version, lambda field: field.name == OLD_OFFSETS):
        return None
    if with_partitions or (
        columns is None and leading_fields(definition, version, lambda field: field.type == "records")
    ):
        wanted |= leading_fields(definition, version, lambda field: field.name in PARTITION_FIELDS)
    measures: dict[str, int] = {}
    if with_partitions:
        names = [name for name in MEASURES if side == "response" or name not in BROKERS_OWN]
        measures = {name: MEASURE + MEASURES.index(name) for name in names}
    settings = {RACK_FIELD: RACK, **{name: SETTING + index for index, name in enumerate(SETTINGS)}}
    if columns is not None:
        settings = {name: role for name, role in settings.items() if _COLUMNS[name] in columns}
    if has_names and api_key == FIND_COORDINATOR and side == "request":
        settings |= _KEYS
    wanted |= {field.name for field in definition.fields if field.name in settings} | measures.keys()
    table = make_table(definition, version, wanted)
    _give_roles(table, definition.fields, version, measures)
    for inner in table.fields:
        if inner.name in settings and (not inner.is_array or settings[inner.name] == KEY):
            inner.role = settings[inner.name]
    table.tell_roles()
    if columns is not None and not wanted and not leading_fields(definition, version, is_error_code):
        table.role = UNREAD
    return table


def _give_roles(table: FieldTable, fields: tuple[Field, ...], version: int, measures: dict[str, int]) -> None:
    within = [field.name for field in table.fields if field.name in PARTITION_FIELDS and not field.is_array]
    for inner, field in zip(table.fields, fields_of(fields, version), strict=True):
        if is_entity(field, NAMED):
            inner.role = GROUP if is_entity(field, _GROUP) else TOPIC
        elif field.name in PARTITION_FIELDS:
            inner.role = TOLD_PARTITION if measures and not field.is_array else PARTITION
        elif within:
            inner.role = measures.get(field.name, 0)
        _give_roles(inner, field.fields, version, measures)
