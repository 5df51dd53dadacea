"""Read message definitions from folders of fact files and from Kafka's jars, and merge releases."""

import json
import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]

MOST_VERSIONS = 256
"""`4+` is taken as 4 to 255: versions are int16 on the wire, but no message comes near a hundred."""

COORDINATOR_TOPICS = {
    "group": "__consumer_offsets",
    "transaction": "__transaction_state",
    "share": "__share_group_state",
    "metadata": "__cluster_metadata",
    "storage": "__remote_log_metadata",
}
"""Internal topic by the module whose jar holds the definitions (kafka-group-coordinator, kafka-metadata, …)."""


FILES_OF_BROKERS = ("AbortedTxn", "ProducerSnapshot", "QuorumStateData")
"""Messages of files on a broker's disk, which are never on the wire."""


class SourceError(Exception):
    """A source that cannot be read."""


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


def read_sources(sources: Iterable[Path]) -> Definitions:
    """Read folders and jars, oldest first, into one set of definitions; raises SourceError."""
    definitions = Definitions()
    for source in sources:
        if source.is_dir():
            read_folder(source, definitions)
        elif zipfile.is_zipfile(source):
            read_jar(source, definitions)
        else:
            raise SourceError(f"{source}: neither a folder of fact files nor a jar")
    if not definitions.apis:
        raise SourceError("no API definitions in these sources (they are in kafka-clients)")
    incomplete = [str(key) for key, api in definitions.apis.items() if not {"request", "response"} <= api.keys()]
    if incomplete:
        raise SourceError(f"a request or response is missing for the API keys {', '.join(incomplete)}")
    return definitions


def read_folder(folder: Path, definitions: Definitions) -> None:
    """Add the fact files of `folder`."""
    for path in sorted(folder.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        if path.name == "errors.json":
            definitions.errors = content
        elif path.name == "versions.json":
            for api in content["apis"]:
                for release, versions in api["by_release"].items():
                    known = definitions.releases.setdefault(release, {})
                    if versions["lowest"] <= versions["highest"]:
                        known[api["api_key"]] = versions
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
                add_jar_definition(definitions, archive.read(name).decode("utf-8"), module)
        release = jar_release(archive)
    if release and "clients" in jar.name:
        definitions.releases[release] = released_versions(definitions.apis)


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


def add_jar_definition(definitions: Definitions, text: str, module: str | None) -> None:
    """Add one of Kafka's own JSON definitions, which have `//` comments."""
    # No string of the definitions holds `//`, except after `http:`.
    content = json.loads(re.sub(r"(?<!:)//.*", "", text))
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
    versions = outer & versions_of(content.get("versions", content.get("taggedVersions")))
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
    name = re.sub(r"(Request|Response)$", "", definition["name"])
    if definition["validVersions"] == "none" and key not in definitions.apis:
        return
    api = definitions.apis.setdefault(key, {})
    api["apiName"] = snake_case(name).upper()
    if kind == "request":
        api["listeners"] = listeners if definition["validVersions"] != "none" else []
    api[kind] = merged(api.get(kind), definition)


def add_message(definitions: Definitions, definition: Json) -> None:
    """Add a message that is no API, over what older sources said of it."""
    name = definition["name"]
    older = definitions.messages.get(name)
    if older and "recordType" in definition and "recordType" not in older:
        # Before 4.0 a coordinator key's version was its record type: nothing to merge with.
        older = None
    newer = merged(older, definition)
    if newer["validVersions"] != "none":
        definitions.messages[name] = newer


def snake_case(name: str) -> str:
    """Give `ListOffsets` as `list_offsets`, `KRaftVersionRecord` as `k_raft_version_record`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def versions_of(text: str) -> frozenset[int]:
    """Give the versions that `0-3`, `4+`, `7` or `none` names."""
    if text == "none":
        return frozenset()
    if text.endswith("+"):
        return frozenset(range(int(text[:-1]), MOST_VERSIONS))
    first, _, last = text.partition("-")
    return frozenset(range(int(first), int(last or first) + 1))


def version_texts(versions: frozenset[int]) -> list[str]:
    """Give the text of each run of `versions`."""
    starts = sorted(version for version in versions if version - 1 not in versions)
    ends = sorted(version for version in versions if version + 1 not in versions)
    texts = []
    for first, last in zip(starts, ends, strict=True):
        if last == MOST_VERSIONS - 1:
            texts.append(f"{first}+")
        else:
            texts.append(str(first) if first == last else f"{first}-{last}")
    return texts


def version_text(versions: frozenset[int]) -> str:
    """Give the text of versions without a hole; raises SourceError."""
    texts = version_texts(versions)
    if len(texts) > 1:
        raise SourceError(f"versions {' and '.join(texts)} leave a hole")
    return texts[0] if texts else "none"


def merged(older: Json | None, newer: Json) -> Json:
    """Give `newer`, with the versions that only `older` has as `older` defines them."""
    newest = {"newestVersions": newer["validVersions"]}
    if older is None:
        return newer | newest
    own = versions_of(newer["validVersions"])
    kept = versions_of(older["validVersions"]) - own
    if not kept:
        return newer | newest
    if not own:
        return older | newest
    return (
        older
        | newer
        | newest
        | {
            "validVersions": version_text(own | kept),
            "flexibleVersions": merged_versions(older["flexibleVersions"], newer["flexibleVersions"], kept),
            "fields": merged_fields(older["fields"], newer["fields"], kept),
        }
    )


def merged_versions(older: str, newer: str, kept: frozenset[int]) -> str:
    """Give the versions of `newer`, but those of `older` for the versions in `kept`."""
    return version_text((versions_of(older) & kept) | (versions_of(newer) - kept))


def merged_fields(older: list[Json], newer: list[Json], kept: frozenset[int]) -> list[Json]:
    """Merge two lists of fields: `older` holds for the versions in `kept`, `newer` for all others.

    Each list's own order stays. A field that both have becomes one where that order allows it, else it stands twice,
    with versions of its own each time.
    """
    result: list[Json] = []
    older_left = [member for member in older if versions_of(member["versions"]) & kept]
    for member in newer:
        if member["name"] not in [candidate["name"] for candidate in older_left]:
            result += restricted([member], None, kept)
            continue
        while older_left[0]["name"] != member["name"]:
            result += restricted([older_left.pop(0)], kept, frozenset())
        result += merged_field(older_left.pop(0), member, kept)
    return result + restricted(older_left, kept, frozenset())


def merged_field(older: Json, newer: Json, kept: frozenset[int]) -> list[Json]:
    """Merge a field that both have: as one where bytes and JSON are the same, else as two with their own versions."""
    about = ("type", "default", "tag", "flexibleVersions")
    if any(older.get(key, ...) != newer.get(key, ...) for key in about):
        return restricted([older], kept, frozenset()) + restricted([newer], None, kept)
    member = dict(newer)
    for key in ("versions", "nullableVersions", "taggedVersions"):
        if key in newer or key in older:
            member[key] = merged_versions(older.get(key, "none"), newer.get(key, "none"), kept)
    if "fields" in newer:
        member["fields"] = merged_fields(older["fields"], newer["fields"], kept)
    return [member]


def restricted(members: list[Json], only: frozenset[int] | None, without: frozenset[int]) -> list[Json]:
    """Give `members` with their versions cut to `only` (None: all) less `without`; without any they are dropped."""
    result = []
    for member in members:
        versions = versions_of(member["versions"]) - without
        if only is not None:
            versions &= only
        for text in version_texts(versions):
            result.append(member | {"versions": text})
    return result
