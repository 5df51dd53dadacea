import json
from typing import Any

from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.names import find_api
from kafkasniff.render.reference.apis import (
    api_list_text,
    api_object,
    api_versions_text,
    layout_object,
    layout_text,
)
from tests.conftest import SHARED, needs_shared


def test_the_list_has_every_api_with_its_versions_by_release() -> None:
    lines = api_list_text().splitlines()
    assert len([line for line in lines[1:] if line[:3].strip().isdigit()]) == 95
    assert lines[0].split() == ["KEY", "NAME", "VERSIONS", "3.9.1", "4.0.1", "4.1.1", "4.2.1", "4.3.1", "4.4.0"]
    # Kafka 4.0 removed Produce v0-v2 (KIP-896); the broker-to-broker calls of ZooKeeper times are gone.
    assert lines[1].split()[:5] == ["0", "Produce", "0-13", "0-11", "3-12"]
    assert next(line for line in lines if "UpdateMetadata" in line).split()[3:5] == ["0-8", "-"]


def test_versions_say_what_is_new() -> None:
    api = find_api("heartbeat")
    assert api is not None
    lines = api_versions_text(api).splitlines()
    assert lines[0] == "Heartbeat (API key 12), versions 0-4"
    version3 = next(line for line in lines if line.strip().startswith("3 "))
    assert version3.endswith("request +groupInstanceId")
    assert next(line for line in lines if line.strip().startswith("4 ")).split()[1] == "yes"


def test_layout_text_of_a_small_api() -> None:
    api = find_api("Heartbeat")
    assert api is not None
    assert layout_text(api, 4).splitlines()[1:] == [
        "",
        "HeartbeatRequest (flexible)",
        "  groupId          string  names a group",
        "  generationId     int32",
        "  memberId         string",
        "  groupInstanceId  string  nullable, default null",
        "",
        "HeartbeatResponse (flexible)",
        "  throttleTimeMs  int32",
        "  errorCode       int16",
    ]


def test_layout_of_a_message_without_fields() -> None:
    api = find_api("ApiVersions")
    assert api is not None
    assert "ApiVersionsRequest (not flexible)\n  (no fields)\n" in layout_text(api, 0)


def test_every_layout_renders() -> None:
    for api in APIS.values():
        assert json.loads(json.dumps(api_object(api)))["apiKey"] == api.key
        assert api_versions_text(api).endswith("\n")
        for version in range(api.first_version, api.last_version + 1):
            assert layout_text(api, version).startswith(api_versions_text(api).split(" ", 1)[0])


def names(fields: list[dict[str, Any]]) -> list[Any]:
    return [(field["name"], field["type"], names(field.get("fields", []))) for field in fields]


def in_version(fields: list[dict[str, Any]], version: int) -> list[dict[str, Any]]:
    def holds(versions: str) -> bool:
        first, _, last = versions.partition("-")
        if first.endswith("+"):
            return version >= int(first[:-1])
        return int(first) <= version <= int(last or first)

    return [
        {**field, "fields": in_version(field.get("fields", []), version)}
        for field in fields
        if holds(field["versions"])
    ]


@needs_shared
def test_layouts_are_those_of_the_definitions() -> None:
    for path in sorted((SHARED / "protocol-facts").glob("[0-9][0-9]-*.json")):
        facts = json.loads(path.read_text())
        api = APIS[facts["apiKey"]]
        for version in range(api.first_version, api.last_version + 1):
            layout = layout_object(api, version)
            for kind in ("request", "response"):
                expected = in_version(facts[kind]["fields"], version)
                assert names(layout[kind]["fields"]) == names(expected), (path.name, version, kind)
