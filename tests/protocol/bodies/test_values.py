import pytest

from kafkasniff.protocol.bodies.tables import make_table
from kafkasniff.protocol.bodies.values import ValueReader
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Field, Message
from kafkasniff.protocol.primitives import MAX_ELEMENTS, RecordsField
from tests.protocol.samples import EVERY_TYPE, FLEXIBLE, JSON_0, JSON_1, PLAIN, raw

VERSIONS = [(0, PLAIN, JSON_0), (1, FLEXIBLE, JSON_1)]


def read(
    message: Message, version: int, data: bytes, *, is_partial: bool = False, most: int = MAX_ELEMENTS
) -> ValueReader:
    reader = ValueReader()
    reader.read(make_table(message, version), data, 0, most, is_partial)
    return reader


def fail(
    message: Message, version: int, data: bytes, *, is_partial: bool = True, most: int = MAX_ELEMENTS
) -> tuple[ProtocolError, ValueReader]:
    """Read what does not decode; give also what there was of it."""
    reader = ValueReader()
    with pytest.raises(ProtocolError) as caught:
        reader.read(make_table(message, version), data, 0, most, is_partial)
    return caught.value, reader


def offset_of(parts: dict[str, str], field: str) -> int:
    """Give the offset at which a field of hand-written bytes begins."""
    names = list(parts)
    return sum(len(parts[name]) // 2 for name in names[: names.index(field)])


@pytest.mark.parametrize("is_partial", [False, True])
@pytest.mark.parametrize(("version", "parts", "value"), VERSIONS)
def test_every_type(version: int, parts: dict[str, str], value: dict[str, object], is_partial: bool) -> None:
    reader = read(EVERY_TYPE, version, raw(parts), is_partial=is_partial)
    assert reader.value == value
    assert [type(found) for found in reader.value.values()] == [type(value[name]) for name in reader.value]
    assert reader.p == len(raw(parts))
    start = offset_of(parts, "records") + (4 if version == 0 else 1)
    assert reader.records == [RecordsField("records", start, start + 3)]


def test_tagged_fields_stand_where_the_definition_has_them() -> None:
    names = list(read(EVERY_TYPE, 1, raw(FLEXIBLE)).value)
    assert names[names.index("names") :] == ["names", "hint", "cursor", "leader"]


@pytest.mark.parametrize(("version", "parts", "value"), VERSIONS)
def test_one_field_alone(version: int, parts: dict[str, str], value: dict[str, object]) -> None:
    for name in ("flag", "name", "epochs"):
        reader = ValueReader()
        end = reader.read(make_table(EVERY_TYPE, version, frozenset({name})), raw(parts), 0, MAX_ELEMENTS, False)
        assert (reader.value, end) == ({name: value[name]}, len(raw(parts)))


def test_elements_of_which_nothing_is_wanted() -> None:
    pair = (Field("id", "uuid", "0"), Field("epoch", "int32", "0"))
    table = make_table(
        Message("Pairs", "0", "none", (Field("pairs", "[]Pair", "0", fields=pair),)), 0, frozenset({"pairs"})
    )
    reader = ValueReader()
    assert reader.read(table, bytes((0, 0, 0, 2, *range(40))), 0, 2, False) == 44
    assert reader.value == {"pairs": [{}, {}]}


def test_errors_with_their_paths() -> None:
    topic = (Field("name", "string", "0"), Field("errorCode", "int16", "0"), Field("epoch", "int32", "0"))
    fields = (Field("errorCode", "int16", "0"), Field("topics", "[]Topic", "0", fields=topic))
    table = make_table(Message("Answer", "0", "none", fields), 0, frozenset({"topics", "name"}))
    data = bytes.fromhex("0001 00000002 000161 0000 00000007 000162 0006 00000008")
    reader = ValueReader()
    assert reader.read(table, data, 0, MAX_ELEMENTS, False) == len(data)
    assert reader.value == {"topics": [{"name": "a"}, {"name": "b"}]}
    assert reader.errors == [("errorCode", 1), ("topics[1].errorCode", 6)]


@pytest.mark.parametrize(
    ("version", "field", "value", "path", "message"),
    [
        (0, "name", "ffff", "name", "expected string, found null"),
        (0, "name", "0100", "name", "expected a string of 256 bytes"),
        (0, "flags", "ffffffff", "flags", "expected an array, found null"),
        (0, "flags", "7fffffff", "flags", "expected an array of 2147483647 bool"),
        (0, "epochs", "7fffffff", "epochs", "expected an array of 2147483647 int32"),
        (0, "data", "7fffffff", "data", "expected bytes of 2147483647 bytes"),
        (0, "records", "7fffffff", "records", "expected records of 2147483647 bytes"),
        (1, "name", "00", "name", "expected string, found null"),
        (1, "name", "ffffffff07", "name", "at most 32767 bytes"),
        (1, "name", "808080808001", "name", "at most 5 bytes"),
        (1, "flags", "00", "flags", "found null"),
        # One less than -2^31 is, in Java's int, 2^31-1.
        (1, "epochs", "8080808008", "epochs", "expected an array of 2147483647 int32"),
        (1, "taggedFields", "016305", "taggedFields[0]", "expected 5 bytes of the unknown tag 99, found 0 bytes left"),
    ],
)
def test_problem_names_field_and_offset(version: int, field: str, value: str, path: str, message: str) -> None:
    parts = (PLAIN, FLEXIBLE)[version] | {field: value}
    error, reader = fail(EVERY_TYPE, version, raw(parts))
    assert error.path == path
    assert message in error.message
    start = offset_of(parts, field)
    # A length that cannot be is told at its own place or right after it.
    assert start <= error.offset <= start + len(value) // 2
    names = list(parts)
    assert [name.removesuffix("SizeInBytes") for name in reader.value] == names[: names.index(field)]
    assert fail(EVERY_TYPE, version, raw(parts), is_partial=False)[0].path == path


def test_what_there_is_of_a_cut_message() -> None:
    error, reader = fail(EVERY_TYPE, 0, raw(PLAIN)[: offset_of(PLAIN, "epochs") + 8])
    assert reader.value["epochs"] == [1]
    assert (error.path, error.offset) == ("epochs[1]", offset_of(PLAIN, "epochs") + 8)
    assert "names" not in reader.value


def test_malformed_text_is_noted_and_replaced_or_refused() -> None:
    data = raw(PLAIN | {"name": "0002ff41"})
    reader = read(EVERY_TYPE, 0, data, is_partial=True)
    assert reader.value["name"] == "\ufffdA"
    assert reader.malformed == [(offset_of(PLAIN, "name"), "name")]
    assert fail(EVERY_TYPE, 0, data, is_partial=False)[0].path == "name"


def test_strings_have_at_most_32767_bytes() -> None:
    message = Message("Text", "0", "0+", (Field("text", "string", "0+"),))
    assert read(message, 0, b"\x80\x80\x02" + b"a" * 32767 + b"\0").value == {"text": "a" * 32767}
    assert "at most 32767" in fail(message, 0, b"\x81\x80\x02" + b"a" * 32768 + b"\0")[0].message


@pytest.mark.parametrize(
    ("raw_float", "value"),
    [("7ff0000000000000", "Infinity"), ("fff0000000000000", "-Infinity"), ("7ff8000000000000", "NaN"), ("00" * 8, 0.0)],
)
def test_floats_that_json_has_no_numbers_for(raw_float: str, value: object) -> None:
    message = Message("Ratio", "0", "none", (Field("ratio", "float64", "0"),))
    assert read(message, 0, bytes.fromhex(raw_float)).value == {"ratio": value}


def test_elements_before_the_bound_are_shown() -> None:
    message = Message("Names", "0", "none", (Field("names", "[]string", "0+"),))
    error, reader = fail(message, 0, (1001).to_bytes(4) + b"\0\0" * 1001, most=1000)
    assert error.path == "names[1000]"
    assert "at most 1000 array elements" in error.message
    assert reader.value["names"] == [""] * 1000
    # Where all is wanted or nothing, none is made of what cannot be whole.
    assert fail(message, 0, (1001).to_bytes(4) + b"\0\0" * 1001, most=1000, is_partial=False)[1].value == {}


def test_tagged_fields_are_bounded_as_elements_are() -> None:
    """Found by `tools.fuzz`: zeros read as a tagged field each two, and half a million of them took a second."""
    names = Message("Named", "0", "0", (Field("name", "string", "0+"),))
    data = b"\x01" + bytes.fromhex("8f4e") + bytes(30_000)
    assert fail(names, 0, data, most=9_998)[0].path == "taggedFields[9998]"
    assert read(names, 0, data, is_partial=True, most=9_999).value == {"name": ""}


def test_a_tag_of_another_version_is_refused_as_kafka_does() -> None:
    message = Message("Tags", "0-1", "0+", (Field("hint", "int8", "1+", tagged="1+", tag=0),))
    data = bytes.fromhex("01" + "0001" + "07")
    assert read(message, 1, data).value == {"hint": 7}
    assert fail(message, 0, data)[0].message == "expected no tag 0 in version 0, found it"


def test_the_last_of_two_equal_tags_wins_and_a_default_is_not_shown() -> None:
    message = Message("Tags", "0", "0+", (Field("hint", "int8", "0+", tagged="0+", tag=0),))
    assert read(message, 0, bytes.fromhex("02" + "000107" + "000108")).value == {"hint": 8}
    assert read(message, 0, bytes.fromhex("02" + "000107" + "000100")).value == {}
