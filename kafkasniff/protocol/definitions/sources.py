"""Read message definitions from folders of JSON files, in Kafka's form or as fact files, and from Kafka's jars."""

import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from kafkasniff.protocol.definitions.building import snake_case
from kafkasniff.protocol.definitions.merging import (
    MOST_VERSIONS,
    DefinitionError,
    Json,
    merged,
    version_text,
    versions_of,
)

COORDINATOR_TOPICS: Final = {
    "group": "__consumer_offsets",
    "transaction": "__transaction_state",
    "share": "__share_group_state",
    "metadata": "__cluster_metadata",
    "storage": "__remote_log_metadata",
}
"""Internal topic by the module whose jar holds the definitions (kafka-group-coordinator, kafka-metadata, …)."""

FILES_OF_BROKERS: Final = ("AbortedTxn", "ProducerSnapshot", "QuorumStateData")
"""Messages of files on a broker's disk, which are never on the wire."""


@dataclass
class Definitions:
    """All that is known: definitions as in the fact files, releases, error codes."""

    apis: dict[int, Json] = field(default_factory=dict)
    """By key: `apiName`, `listeners`, `request`, `response`."""
    messages: dict[str, Json] = field(default_factory=dict)
    """By name: a definition with `topic` and `recordType` where they apply."""
    releases: dict[str, dict[int, Json]] = field(default_factory=dict)
    """By release and key: `lowest`, `highest`, `highest_stable`."""
    errors: list[Json] = field(default_factory=list)
    """`code`, `name`, `retriable`; empty when no source has them."""

    def api(self, key: int) -> Json | None:
        """Give what is known of an API."""
        return self.apis.get(key)

    def message(self, name: str) -> Json | None:
        """Give what is known of a message that is no API."""
        return self.messages.get(name)

    def merged(self, older: Json | None, newer: Json) -> Json:
        """Merge a definition with what is known of the same message."""
        return merged(older, newer)


def read_sources(sources: Iterable[Path], into: Definitions | None = None) -> Definitions:
    """Read folders and jars, oldest first, into one set of definitions; raises DefinitionError."""
    definitions = into or Definitions()
    sources = list(sources)
    for source in sources:
        read_source(source, definitions)
    if not definitions.apis and not definitions.messages:
        names = ", ".join(map(str, sources))
        raise DefinitionError(f"{names}: no message definitions (those of Kafka's APIs are in kafka-clients-*.jar)")
    for key, api in definitions.apis.items():
        if missing := {"request", "response"} - api.keys():
            raise DefinitionError(f"there is no definition of the {missing.pop()} of API key {key}")
    return definitions


def read_source(source: Path, definitions: Definitions) -> None:
    """Add the definitions of a folder or a jar; raises DefinitionError, which names the file."""
    try:
        if source.is_dir():
            read_folder(source, definitions)
        elif zipfile.is_zipfile(source):
            read_jar(source, definitions)
        elif source.exists():
            raise DefinitionError(f"{source}: neither a folder of definitions nor a jar")
        else:
            raise DefinitionError(f"{source}: there is no such folder or jar")
    except (OSError, zipfile.BadZipFile) as error:
        raise DefinitionError(f"{source}: {error}") from None


def read_folder(folder: Path, definitions: Definitions) -> None:
    """Add the JSON files of `folder`, in Kafka's form or as fact files, and the definitions in the jars there."""
    for path in sorted(folder.glob("*.json")):
        with _named(path):
            add_file(definitions, path)
    # Of the libraries of a broker only Kafka's own have any.
    for path in sorted(folder.glob("*.jar")):
        read_jar(path, definitions)


def add_file(definitions: Definitions, path: Path) -> None:
    """Add a JSON file."""
    content: Any = parsed(path.read_text(encoding="utf-8"))
    if path.name == "errors.json":
        definitions.errors = content
    elif path.name == "versions.json":
        for api in content["apis"]:
            for release, versions in api["by_release"].items():
                known = definitions.releases.setdefault(release, {})
                if versions["lowest"] <= versions["highest"]:
                    known[api["api_key"]] = versions
    elif "type" in content:
        add_own_definition(definitions, content, None)
    elif "apiKey" in content:
        for kind in ("request", "response"):
            add_api(definitions, content["apiKey"], kind, content[kind], content.get("listeners", []))
    else:
        add_message(definitions, content)


def read_jar(jar: Path, definitions: Definitions) -> None:
    """Add the JSON definitions that `jar` holds."""
    module = next((name for name in COORDINATOR_TOPICS if f"kafka-{name}" in jar.name), None)
    with zipfile.ZipFile(jar) as archive:
        for name in archive.namelist():
            if re.search(r"(^|/)(message|metadata)/\w+\.json$", name):
                with _named(f"{jar}: {name}"):
                    add_own_definition(definitions, parsed(archive.read(name).decode("utf-8")), module)
        release = jar_release(archive)
    if release and "clients" in jar.name:
        definitions.releases[release] = released_versions(definitions.apis)


@contextmanager
def _named(place: object) -> Iterator[None]:
    """Say of what goes wrong inside in which file it does."""
    try:
        yield
    except DefinitionError as error:
        raise DefinitionError(f"{place}: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        found = f"found none ({type(error).__name__}: {error})"
        raise DefinitionError(f"{place}: expected a message definition of Kafka's, {found}") from None


def parsed(text: str) -> Any:
    """Give the content of a JSON file, which may have `//` comments, as Kafka's own have."""
    # No string of the definitions holds `//`, except after `http:`.
    # What stands behind the value does not count, as in Kafka's build: 2.8's DescribeProducersRequest has a brace more.
    return json.JSONDecoder().raw_decode(re.sub(r"(?<!:)//.*", "", text).lstrip())[0]


def jar_release(archive: zipfile.ZipFile) -> str | None:
    """Give the release that kafka-clients says it is."""
    try:
        properties = archive.read("kafka/kafka-version.properties").decode("utf-8")
    except KeyError:
        return None
    found = re.search(r"^version=(.+)$", properties, re.MULTILINE)
    return found[1].strip() if found else None


def released_versions(apis: dict[int, Json]) -> dict[int, Json]:
    """Give the version ranges that the newest source defines, as `versions.json` has them."""
    ranges = {}
    for key, api in apis.items():
        valid = versions_of(api["request"]["newestVersions"])
        if valid and api["listeners"]:
            unstable = api["request"].get("latestVersionUnstable", False)
            stable = max(valid) - 1 if unstable else max(valid)
            highest_stable = stable if stable in valid else -1
            ranges[key] = {"lowest": min(valid), "highest": max(valid), "highest_stable": highest_stable}
    return ranges


def add_own_definition(definitions: Definitions, content: Json, module: str | None) -> None:
    """Add one of Kafka's own JSON definitions."""
    structs = {struct["name"]: struct["fields"] for struct in content.get("commonStructs", [])}
    definition = {
        "name": content["name"],
        "validVersions": content["validVersions"],
        "flexibleVersions": content.get("flexibleVersions", "none"),
        "latestVersionUnstable": content.get("latestVersionUnstable", False),
        "fields": jar_fields(content.get("fields", []), frozenset(range(MOST_VERSIONS)), structs),
    }
    kind = content["type"]
    if kind in ("request", "response"):
        add_api(definitions, content["apiKey"], kind, definition, content.get("listeners", []))
        return
    if content["name"] in FILES_OF_BROKERS:
        return
    if module:
        definition["topic"] = COORDINATOR_TOPICS[module]
    if "apiKey" in content:
        definition["recordType"] = content["apiKey"]
    add_message(definitions, definition)


def jar_fields(contents: list[Json], outer: frozenset[int], structs: dict[str, list[Json]]) -> list[Json]:
    """Give fields of Kafka's definition in the form of the fact files: typed defaults, structs in place.

    Their versions are cut to `outer`, those of the message or struct that they are in.
    """
    return [member for content in contents if (member := jar_field(content, outer, structs))["versions"] != "none"]


def jar_field(content: Json, outer: frozenset[int], structs: dict[str, list[Json]]) -> Json:
    """Give one field as `jar_fields` does."""
    kind = content["type"]
    member: Json = {"name": content["name"][0].lower() + content["name"][1:], "type": kind}
    # FieldSpec: a tagged field need not say its versions again.
    versions = outer & versions_of(content["versions"] if "versions" in content else content["taggedVersions"])
    member["versions"] = version_text(versions)
    for key in ("nullableVersions", "taggedVersions"):
        if key in content:
            member[key] = version_text(versions & versions_of(content[key]))
    member |= {key: content[key] for key in ("tag", "mapKey", "entityType", "flexibleVersions") if key in content}
    if content.get("default") is not None:
        # Null itself is no default, in contrast to the text "null": so Kafka's generator reads it.
        member["default"] = typed_default(content["default"], kind)
    members = content.get("fields") or structs.get(kind.removeprefix("[]"))
    if members:
        member["fields"] = jar_fields(members, versions, structs)
    return member


def typed_default(default: Any, kind: str) -> Any:
    """Give the value that a definition's default text means for a field of type `kind`."""
    if default == "null":
        return None
    if not isinstance(default, str):
        return default
    if kind == "bool":
        return default == "true"
    if kind == "float64":
        return float(default)
    if re.fullmatch(r"u?int\d+", kind):
        return int(default, 0)
    return default


def add_api(definitions: Definitions, key: int, kind: str, definition: Json, listeners: list[str]) -> None:
    """Add a request or response, over what older sources said of it."""
    known = definitions.api(key)
    if definition["validVersions"] == "none" and known is None:
        return
    api = definitions.apis[key] = known if known is not None else {}
    api[kind] = definitions.merged(api.get(kind), definition)
    api["apiName"] = snake_case(re.sub(r"(Request|Response)$", "", api[kind]["name"])).upper()
    # Not those of an older release.
    if kind == "request" and api[kind]["newestVersions"] == definition["validVersions"]:
        api["listeners"] = listeners if definition["validVersions"] != "none" else []


def add_message(definitions: Definitions, definition: Json) -> None:
    """Add a message that is no API, over what older sources said of it."""
    name = definition["name"]
    older = definitions.message(name)
    if older and "recordType" in definition and "recordType" not in older:
        # Before 4.0 a coordinator key's version was its record type: nothing to merge with.
        older = None
    newer = definitions.merged(older, definition)
    if newer["validVersions"] != "none":
        definitions.messages[name] = newer
