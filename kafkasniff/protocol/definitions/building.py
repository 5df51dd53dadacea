"""From JSON to definitions and the rows of the tables, and back."""

import re
from typing import Any, Final

from kafkasniff.protocol.definitions.merging import Json, versions_of
from kafkasniff.protocol.fields import Api, Field, Message, OtherMessage

ATTRIBUTES: Final = (
    ("nullableVersions", "nullable"),
    ("taggedVersions", "tagged"),
    ("tag", "tag"),
    ("default", "default"),
    ("mapKey", "map_key"),
    ("entityType", "entity"),
    ("flexibleVersions", "flexible"),
)
"""Names in JSON, and of the attributes of `Field`, of what a field may leave out."""


def message_of(definition: Json) -> Message:
    """Give a definition as the modules have it."""
    fields = fields_of(definition["fields"])
    return Message(definition["name"], definition["validVersions"], definition["flexibleVersions"], fields)


def fields_of(members: list[Json]) -> tuple[Field, ...]:
    """Give the fields of a message or a struct."""
    return tuple(_field(member) for member in members)


def json_of(message: Message) -> Json:
    """Give what `message_of` makes the same message of."""
    return {
        "name": message.name,
        "validVersions": message.versions,
        "flexibleVersions": message.flexible,
        "fields": [_json_field(field) for field in message.fields],
    }


def api_of(key: int, api: Json) -> Api:
    """Give the row of an API in the table of all."""
    valid = versions_of(api["request"]["validVersions"])
    flexible = [
        min(versions_of(api[kind]["flexibleVersions"]) & valid, default=None) for kind in ("request", "response")
    ]
    name = api["apiName"]
    return Api(key, name, name.lower(), min(valid), max(valid), flexible[0], flexible[1], tuple(api["listeners"]))


def other_message_of(message: Json) -> OtherMessage:
    """Give the row of a message that is no API in the table of all."""
    name = message["name"]
    valid = versions_of(message["validVersions"])
    return OtherMessage(
        name, message_module(name), message.get("topic", ""), message.get("recordType"), min(valid), max(valid)
    )


def message_module(name: str) -> str:
    """Give the module's name for a message: `KRaftVersionRecord` is `kraft_version_record`."""
    return snake_case(name.replace("KRaft", "Kraft"))


def snake_case(name: str) -> str:
    """Give `ListOffsets` as `list_offsets`, `KRaftVersionRecord` as `k_raft_version_record`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _field(member: Json) -> Field:
    said: dict[str, Any] = {attribute: member[key] for key, attribute in ATTRIBUTES if key in member}
    fields = fields_of(member.get("fields", ()))
    return Field(member["name"], member["type"], member["versions"], fields, **said)


def _json_field(field: Field) -> Json:
    member: Json = {"name": field.name, "type": field.type, "versions": field.versions}
    for key, attribute in ATTRIBUTES:
        if (value := getattr(field, attribute)) != Field._field_defaults[attribute]:
            member[key] = value
    if field.fields:
        member["fields"] = [_json_field(inner) for inner in field.fields]
    return member
