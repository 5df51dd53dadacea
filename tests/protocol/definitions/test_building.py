import pytest

from kafkasniff.protocol.definitions.building import api_of, json_of, message_module, message_of, snake_case
from kafkasniff.protocol.fields import Field

GREET = {
    "name": "GreetRequest",
    "validVersions": "1-3",
    "flexibleVersions": "2+",
    "fields": [
        {"name": "greeting", "type": "string", "versions": "0+", "nullableVersions": "1+", "default": "hello"},
        {
            "name": "guests",
            "type": "[]Guest",
            "versions": "1+",
            "fields": [{"name": "seat", "type": "int8", "versions": "1+", "taggedVersions": "2+", "tag": 0}],
        },
    ],
}


def test_a_definition_goes_there_and_back() -> None:
    message = message_of(GREET)
    assert (message.name, message.versions, message.flexible) == ("GreetRequest", "1-3", "2+")
    greeting, guests = message.fields
    assert greeting == Field("greeting", "string", "0+", nullable="1+", default="hello")
    assert guests.fields == (Field("seat", "int8", "1+", tagged="2+", tag=0),)
    assert json_of(message) == GREET


def test_a_row_says_from_when_on_each_side_is_flexible() -> None:
    api = {
        "apiName": "GREET",
        "listeners": ["broker"],
        "request": GREET,
        "response": GREET | {"flexibleVersions": "none"},
    }
    assert api_of(7, api) == (7, "GREET", "greet", 1, 3, 2, None, ("broker",))


@pytest.mark.parametrize(
    ("name", "snake", "module"),
    [
        ("ListOffsets", "list_offsets", "list_offsets"),
        ("KRaftVersionRecord", "k_raft_version_record", "kraft_version_record"),
        ("SaslAuthenticate", "sasl_authenticate", "sasl_authenticate"),
        ("AlterPartitionReassignments", "alter_partition_reassignments", "alter_partition_reassignments"),
    ],
)
def test_names_of_modules(name: str, snake: str, module: str) -> None:
    assert (snake_case(name), message_module(name)) == (snake, module)
