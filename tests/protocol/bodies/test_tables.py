import pytest

from kafkasniff.protocol.bodies.tables import MAX_DEPTH, is_error_code, make_table, tables_in
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.fields import Field, Message
from tests.protocol.samples import EVERY_TYPE

PAIRS = Message(
    "Pairs",
    "0",
    "none",
    (
        Field("pairs", "[]Pair", "0", fields=(Field("id", "uuid", "0"), Field("epoch", "int32", "0"))),
        Field("failed", "[]Failed", "0", fields=(Field("index", "int32", "0"), Field("errorCode", "int16", "0"))),
        Field("named", "[]Named", "0", fields=(Field("name", "string", "0"),)),
    ),
)


def test_fields_of_a_version_in_the_definitions_order() -> None:
    names = [field.name for field in make_table(EVERY_TYPE, 1).fields]
    assert names == [field.name for field in EVERY_TYPE.fields]
    assert [field.name for field in make_table(EVERY_TYPE, 0).fields] == names[:14]
    table = make_table(EVERY_TYPE, 1)
    assert [field.name for field in table.tagged_fields] == ["hint", "leader"]
    assert [(field.tag, field.default_text) for field in table.tagged_fields] == [(0, b'""'), (3, b"null")]
    [cursor] = [field for field in table.fields if field.slot >= 0]
    assert (cursor.name, [field.name for field in cursor.tagged_before]) == ("cursor", ["hint"])


def test_tags_of_other_versions() -> None:
    assert make_table(EVERY_TYPE, 0).other_tags == {0, 3}
    assert make_table(EVERY_TYPE, 1).other_tags == frozenset()


def test_arrays_around_a_field() -> None:
    # Metadata responses name the replicas of the partitions of topics.
    tables = {field.name: field for field in tables_in(make_table(api_definition(3, "response"), 1))}
    assert (tables["topics"].depth, tables["partitions"].depth, tables["replicaNodes"].depth) == (0, 1, 2)
    assert tables["replicaNodes"].parent is tables["partitions"]


def test_what_is_wanted_lies_in_what_is_wanted() -> None:
    wanted = frozenset({"pairs", "epoch", "name"})
    tables = tables_in(make_table(PAIRS, 0, wanted))
    assert [field.name for field in tables if field.is_wanted] == ["pairs", "epoch"]


def test_what_is_passed_over_at_once() -> None:
    fixed = {field.name: field.fixed_size() for field in make_table(PAIRS, 0, frozenset()).fields}
    assert fixed == {"pairs": 20, "failed": 0, "named": 0}
    assert make_table(PAIRS, 0).fields[0].fixed_size() == 0


def test_error_codes() -> None:
    assert is_error_code(Field("partitionErrorCode", "int16", "0"))
    assert not is_error_code(Field("errorCode", "int32", "0"))


def test_definitions_that_go_too_deep_are_refused() -> None:
    field = Field("x", "int8", "0")
    for _ in range(MAX_DEPTH):
        field = Field("x", "[]X", "0", fields=(field,))
    with pytest.raises(ValueError, match="arrays within arrays"):
        make_table(Message("Deep", "0", "none", (field,)), 0)
