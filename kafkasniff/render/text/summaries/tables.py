"""Tables of messages in which the fields that a summary names have their roles."""

from collections.abc import Iterable, Iterator

from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.tables import FieldTable, make_table
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.fields import Field, Kind
from kafkasniff.render.text.summaries.fields import RECORDS, SUMMARY_FIELDS, THROTTLE, Roles


def summary_table(api_key: int, version: int, kind: Kind) -> FieldTable | None:
    """Give the table of a layout; None where it is not known."""
    api = APIS.get(api_key)
    if api is None or not api.first_version <= version <= api.last_version:
        return None
    message = api_definition(api_key, kind)
    roles = dict.fromkeys(_records_paths(message.fields, ""), RECORDS) | SUMMARY_FIELDS[api_key][kind == "response"]
    if kind == "response":
        roles["throttleTimeMs"] = THROTTLE
    names = frozenset(name for path in roles for name in path.split("."))
    table = make_table(message, version, names)
    _set_roles(table, roles, "")
    table.tell_roles()
    return table


def _records_paths(fields: Iterable[Field], place: str) -> Iterator[str]:
    for field in fields:
        if field.type == "records":
            yield place + field.name
        yield from _records_paths(field.fields, f"{place}{field.name}.")


def _set_roles(table: FieldTable, roles: Roles, place: str) -> None:
    for field in table.fields:
        path = place + field.name
        field.role = roles.get(path, 0)
        field.is_wanted = field.role > 0 or any(name.startswith(f"{path}.") for name in roles)
        _set_roles(field, roles, f"{path}.")
