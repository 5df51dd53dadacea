from collections.abc import Iterator
from typing import Any

from kafkasniff.protocol.bodies import find_errors
from kafkasniff.protocol.bodies.finders import entity_finder, is_entity, leading_fields
from kafkasniff.protocol.fields import Field, Message
from tests.conformance.vector_rows import API_FILES, rows

MESSAGE = Message(
    "Visited",
    "0",
    "0+",
    (
        Field("errorCode", "int16", "0+"),
        Field("groups", "[]string", "0+", nullable="0+", entity="groupId"),
        Field(
            "leader",
            "Leader",
            "0+",
            nullable="0+",
            fields=(Field("partitionErrorCode", "int16", "0+"), Field("id", "int32", "0+", entity="brokerId")),
        ),
        Field("topics", "[]Topic", "0+", tagged="0+", tag=0, fields=(Field("topicId", "uuid", "0+"),)),
    ),
)


def test_null_and_absent_branches_are_passed_over() -> None:
    value = {"errorCode": 0, "groups": None, "leader": None}
    assert entity_finder(MESSAGE, 0)(value) == {}


def test_all_branches_are_visited() -> None:
    value = {
        "errorCode": -1,
        "groups": ["g", "h", "g", ""],
        "leader": {"partitionErrorCode": 5, "id": 3},
        "topics": [{"topicId": "x"}],
    }
    assert entity_finder(MESSAGE, 0)(value) == {"groupId": ["g", "h"], "brokerId": [3], "topicId": ["x"]}


def test_only_the_types_asked_for_are_looked_for() -> None:
    def names_groups(field: Field) -> bool:
        return is_entity(field, frozenset({"groupId"}))

    assert entity_finder(MESSAGE, 0, frozenset({"groupId"}))({"groups": ["g"]}) == {"groupId": ["g"]}
    assert leading_fields(MESSAGE, 0, names_groups) == {"groups"}
    assert leading_fields(MESSAGE, 0, lambda field: field.name == "topicId") == {"topics", "topicId"}


def walk(value: Any, path: str = "") -> Iterator[tuple[str, int]]:
    """Find error codes by walking the whole tree."""
    if isinstance(value, dict):
        for name, inner in value.items():
            place = f"{path}.{name}" if path else name
            if name.lower().endswith("errorcode") and inner:
                yield place, inner
            yield from walk(inner, place)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from walk(inner, f"{path}[{index}]")


def test_error_codes_of_all_vectors_are_found() -> None:
    found = 0
    for file in API_FILES:
        for row in rows(file):
            errors = find_errors(row["api_key"], row["api_version"], row["kind"], row["json"])
            assert errors == list(walk(row["json"]))
            found += len(errors)
    assert found > 1000
