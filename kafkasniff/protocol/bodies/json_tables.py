"""The tables by which bodies are written as JSON: with the fields marked that hold secrets, or name topics."""

from functools import cache

from kafkasniff.protocol.bodies.json_writer import mark_config, mark_topic_names
from kafkasniff.protocol.bodies.tables import FieldTable, make_table, tables_in
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.secrets.messages import CONFIG_APIS, CONFIG_ARRAYS, SECRET_FIELDS


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
