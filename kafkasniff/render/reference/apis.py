"""The APIs, their versions and their layouts as an offline reference."""

from collections.abc import Iterator, Mapping
from typing import Any

from kafkasniff.protocol.api_releases import API_RELEASES, RELEASES
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.fields import IMPLICIT, Api, Field, Kind, Message, ReleasedVersions, covers, fields_of
from kafkasniff.protocol.names import camel_case

_MORE = (
    "More APIs and versions, of a newer Kafka or a vendor, are known with --definitions DIR|JAR: Kafka's own JSON",
    "definitions, as in clients/src/main/resources/common/message of its source, in kafka-clients-*.jar (and, of its",
    "internal topics, in kafka-*-coordinator-*.jar and others), or all jars in the folder libs of a broker.",
)
_KINDS: tuple[Kind, Kind] = ("request", "response")


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _releases_of(api: Api) -> Mapping[str, ReleasedVersions]:
    """Give the versions of an API by release; none where a user defined it."""
    return API_RELEASES.get(api.key, {})


def _release_range(api: Api, release: str) -> str:
    versions = _releases_of(api).get(release)
    if versions is None:
        return "-"
    text = _range(versions.lowest, versions.highest)
    return text if versions.highest_stable == versions.highest else f"{text}*"


def _flexible(api: Api, kind: Kind) -> int | None:
    return api.request_flexible if kind == "request" else api.response_flexible


def api_object(api: Api) -> dict[str, Any]:
    """Give an API's versions as a JSON object."""
    return {
        "apiKey": api.key,
        "name": api.name,
        "versions": [api.first_version, api.last_version],
        "firstFlexibleRequestVersion": api.request_flexible,
        "firstFlexibleResponseVersion": api.response_flexible,
        "listeners": list(api.listeners),
        "releases": {
            release: {"versions": [known.lowest, known.highest], "highestStable": known.highest_stable}
            for release, known in _releases_of(api).items()
        },
    }


def api_list_text() -> str:
    """Give all APIs as a table: key, name, versions ever, versions by release."""
    lines = [f"KEY  {'NAME':<37}  {'VERSIONS':<8}  " + "  ".join(f"{release:<6}" for release in RELEASES)]
    for api in APIS.values():
        releases = "  ".join(f"{_release_range(api, release):<6}" for release in RELEASES)
        ever = _range(api.first_version, api.last_version)
        lines.append(f"{api.key:>3}  {camel_case(api.name):<37}  {ever:<8}  {releases}".rstrip())
    lines.append("")
    lines.append("- not in that release   * its highest versions are not stable yet")
    lines += ["", *_MORE]
    return "\n".join(lines) + "\n"


def api_versions_text(api: Api) -> str:
    """Give one API's versions: for each, whether it is flexible, what it brought, and the releases that have it."""
    lines = [f"{camel_case(api.name)} (API key {api.key}), versions {_range(api.first_version, api.last_version)}"]
    if api.listeners:
        lines.append(f"Listeners: {', '.join(api.listeners)}")
    elif _releases_of(api):
        lines.append("Removed in Kafka 4.0")
    lines += ["", "VERSION  FLEXIBLE  RELEASES                              NEW FIELDS"]
    for version in range(api.first_version, api.last_version + 1):
        flexible = any((first := _flexible(api, kind)) is not None and version >= first for kind in _KINDS)
        lines.append(
            f"{version:>7}  {'yes' if flexible else 'no':<8}  {_releases_with(api, version):<36}  "
            f"{_new_fields(api, version)}".rstrip()
        )
    return "\n".join(lines) + "\n"


def _releases_with(api: Api, version: int) -> str:
    having = [
        release
        for release in RELEASES
        if (known := _releases_of(api).get(release)) and known.lowest <= version <= known.highest
    ]
    if not having:
        return "none of those known"
    if having[-1] == RELEASES[-1]:
        return f"{having[0]} and later" if having[0] != RELEASES[0] else f"all from {RELEASES[0]} on"
    return f"{having[0]} to {having[-1]}" if len(having) > 1 else having[0]


def _new_fields(api: Api, version: int) -> str:
    if version == api.first_version:
        return ""
    words = []
    for kind in _KINDS:
        now = _names(api_definition(api.key, kind), version)
        before = _names(api_definition(api.key, kind), version - 1)
        words += [f"{kind} +{name}" for name in now if name not in before]
        words += [f"{kind} -{name}" for name in before if name not in now]
    return ", ".join(words)


def _names(message: Message, version: int) -> list[str]:
    return [path for path, _ in _flatten(message.fields_of(version), version, "")]


def _flatten(fields: tuple[Field, ...], version: int, prefix: str) -> Iterator[tuple[str, Field]]:
    for field in fields:
        path = prefix + field.name
        yield path, field
        yield from _flatten(fields_of(field.fields, version), version, path + ".")


def layout_object(api: Api, version: int) -> dict[str, Any]:
    """Give the layout of a version's request and response as a JSON object."""
    item: dict[str, Any] = {"apiKey": api.key, "name": api.name, "apiVersion": version}
    for kind in _KINDS:
        message = api_definition(api.key, kind)
        item[kind] = {
            "name": message.name,
            "flexible": covers(message.flexible, version),
            "fields": [_field_object(field, version) for field in message.fields_of(version)],
        }
    return item


def _field_object(field: Field, version: int) -> dict[str, Any]:
    item: dict[str, Any] = {"name": field.name, "type": field.type, "nullable": covers(field.nullable, version)}
    if covers(field.tagged, version):
        item["tag"] = field.tag
    if field.default is not IMPLICIT:
        item["default"] = field.default
    if field.entity:
        item["entity"] = field.entity
    if field.map_key:
        item["mapKey"] = True
    if field.fields:
        item["fields"] = [_field_object(member, version) for member in fields_of(field.fields, version)]
    return item


def layout_text(api: Api, version: int) -> str:
    """Give the layout of a version's request and response as text, fields in wire order, structs indented."""
    lines = [f"{camel_case(api.name)} (API key {api.key}), version {version}: {_releases_with(api, version)}"]
    for kind in _KINDS:
        message = api_definition(api.key, kind)
        flexible = "flexible" if covers(message.flexible, version) else "not flexible"
        lines += ["", f"{message.name} ({flexible})"]
        rows = list(_rows(message.fields_of(version), version, 1))
        if not rows:
            lines.append("  (no fields)")
        name_width = max((len(name) for name, _, _ in rows), default=0)
        type_width = max((len(kind_text) for _, kind_text, _ in rows), default=0)
        lines += [f"{name:<{name_width}}  {text:<{type_width}}  {notes}".rstrip() for name, text, notes in rows]
    return "\n".join(lines) + "\n"


def _rows(fields: tuple[Field, ...], version: int, depth: int) -> Iterator[tuple[str, str, str]]:
    for field in fields:
        notes = []
        if covers(field.nullable, version):
            notes.append("nullable")
        if covers(field.tagged, version):
            notes.append(f"tag {field.tag}")
        if field.default is not IMPLICIT:
            notes.append(f"default {_default_text(field.default)}")
        if field.entity:
            notes.append(f"names a {_ENTITIES.get(field.entity, field.entity)}")
        if field.map_key:
            notes.append("key")
        yield "  " * depth + field.name, field.type, ", ".join(notes)
        yield from _rows(fields_of(field.fields, version), version, depth + 1)


_ENTITIES = {
    "topicName": "topic",
    "groupId": "group",
    "transactionalId": "transactional id",
    "brokerId": "broker",
    "producerId": "producer",
}


def _default_text(default: object) -> str:
    if default is None:
        return "null"
    return str(default).lower() if isinstance(default, bool) else str(default) or "''"
