import json

import pytest

from kafkasniff.protocol.api_releases import API_RELEASES, RELEASES
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.definitions import api_definition, message_definition
from kafkasniff.protocol.error_codes.codes import ERROR_CODES, error_name
from kafkasniff.protocol.fields import Field, Kind, version_range
from kafkasniff.protocol.message_table import MESSAGES
from tests.conftest import SHARED, needs_shared

KINDS: tuple[Kind, Kind] = ("request", "response")


def test_index_agrees_with_the_definitions() -> None:
    for key, api in APIS.items():
        assert key == api.key
        for kind, flexible in zip(KINDS, (api.request_flexible, api.response_flexible), strict=True):
            definition = api_definition(key, kind)
            assert version_range(definition.versions) == (api.first_version, api.last_version)
            first, last = version_range(definition.flexible)
            assert flexible == (first if first <= last else None)
    for name, message in MESSAGES.items():
        definition = message_definition(name)
        assert definition.name == name
        assert version_range(definition.versions) == (message.first_version, message.last_version)


def test_tags_of_a_struct_differ() -> None:
    def check(fields: tuple[Field, ...]) -> None:
        tags = [field.tag for field in fields if field.tag is not None]
        assert len(tags) == len(set(tags))
        for field in fields:
            assert (field.tag is None) == (field.tagged == "none")
            check(field.fields)

    for key in APIS:
        for kind in KINDS:
            check(api_definition(key, kind).fields)
    for name in MESSAGES:
        check(message_definition(name).fields)


def test_names_that_are_not_known() -> None:
    with pytest.raises(KeyError):
        api_definition(999, "request")
    with pytest.raises(KeyError):
        message_definition("NoSuchMessage")


def test_error_codes() -> None:
    assert len(ERROR_CODES) == 138
    assert (ERROR_CODES[6].name, ERROR_CODES[6].retriable) == ("NOT_LEADER_OR_FOLLOWER", True)
    assert error_name(-1) == "UNKNOWN_SERVER_ERROR"
    assert error_name(9999) == "UNKNOWN(9999)"


def test_releases() -> None:
    assert RELEASES[-1] == "4.4.0"
    # Kafka 4.0 dropped Produce below 3 (KIP-896), and the requests of the ZooKeeper controller.
    assert API_RELEASES[0]["3.9.1"].lowest == 0
    assert API_RELEASES[0]["4.0.1"].lowest == 3
    assert list(API_RELEASES[4]) == ["3.9.1"]


@needs_shared
def test_error_codes_equal_the_facts() -> None:
    facts = json.loads((SHARED / "protocol-facts" / "errors.json").read_text(encoding="utf-8"))
    assert [(row["code"], row["name"], row["retriable"]) for row in facts] == [
        tuple(row) for row in ERROR_CODES.values()
    ]
