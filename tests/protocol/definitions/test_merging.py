"""Versions as Kafka's message definitions write them (clients/src/main/resources/common/message/README.md)."""

import pytest

from kafkasniff.protocol.definitions.merging import MOST_VERSIONS, DefinitionError, merged, version_text, versions_of


@pytest.mark.parametrize(
    ("text", "versions"),
    [("none", set()), ("7", {7}), ("0-3", {0, 1, 2, 3}), ("4+", set(range(4, MOST_VERSIONS)))],
)
def test_versions_are_read_and_written_alike(text: str, versions: set[int]) -> None:
    assert versions_of(text) == versions
    assert version_text(versions_of(text)) == text


def test_a_hole_is_refused() -> None:
    with pytest.raises(DefinitionError, match="versions 0-1 and 3 leave a hole"):
        version_text(frozenset({0, 1, 3}))


def message(versions: str, *fields: tuple[str, str]) -> dict[str, object]:
    return {
        "name": "Greet",
        "validVersions": versions,
        "flexibleVersions": "none",
        "fields": [{"name": name, "type": "int8", "versions": each} for name, each in fields],
    }


def test_versions_that_a_newer_release_dropped_stay_as_they_were() -> None:
    found = merged(message("0-2", ("gone", "0"), ("kept", "0+")), message("1-3", ("kept", "0+"), ("new", "3+")))
    assert (found["validVersions"], found["newestVersions"]) == ("0-3", "1-3")
    assert {field["name"]: field["versions"] for field in found["fields"]} == {"gone": "0", "kept": "0+", "new": "3+"}


def test_a_release_that_drops_a_message_leaves_it_as_it_was() -> None:
    older = message("0-2", ("kept", "0+"))
    found = merged(older, message("none"))
    assert (found["validVersions"], found["fields"]) == ("0-2", older["fields"])
    assert merged(None, older)["newestVersions"] == "0-2"
