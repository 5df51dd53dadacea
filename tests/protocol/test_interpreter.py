import pytest

from kafkasniff.protocol.fields import Field, Message
from kafkasniff.protocol.interpreter import MAX_INTERPRETED_ELEMENTS, fits, interpret, trace
from kafkasniff.protocol.primitives import RecordsField
from tests.protocol.samples import EVERY_TYPE, FLEXIBLE, JSON_0, JSON_1, PLAIN, raw


def offset_of(parts: dict[str, str], field: str) -> int:
    """Give the offset at which a field of hand-written bytes begins."""
    names = list(parts)
    return sum(len(parts[name]) // 2 for name in names[: names.index(field)])


@pytest.mark.parametrize(("version", "parts", "value"), [(0, PLAIN, JSON_0), (1, FLEXIBLE, JSON_1)])
def test_every_type(version: int, parts: dict[str, str], value: dict[str, object]) -> None:
    data = b"before" + raw(parts)
    result = interpret(EVERY_TYPE, version, data, 6)
    assert result.error is None
    assert result.value == value
    assert list(result.value) == [name for name in list(value) if name in result.value]
    assert result.end == len(data)
    [field] = result.records
    assert data[field.start : field.end] == b"\xaa\xbb\xcc"


def test_tagged_fields_stand_where_the_definition_has_them() -> None:
    names = list(interpret(EVERY_TYPE, 1, raw(FLEXIBLE)).value)
    assert names[names.index("names") :] == ["names", "hint", "cursor", "leader"]


@pytest.mark.parametrize(
    ("version", "field", "value", "path", "message"),
    [
        (0, "name", "ffff", "name", "expected string, found null"),
        (0, "name", "0100", "name", "expected a string of 256 bytes"),
        (0, "flags", "ffffffff", "flags", "expected an array, found null"),
        (0, "flags", "7fffffff", "flags", "expected an array of 2147483647 bool"),
        (0, "records", "7fffffff", "records", "expected records of 2147483647 bytes"),
        (1, "name", "808080808001", "name", "at most 5 bytes"),
        (1, "flags", "00", "flags", "found null"),
    ],
)
def test_problem_names_field_and_offset(version: int, field: str, value: str, path: str, message: str) -> None:
    parts = (PLAIN, FLEXIBLE)[version] | {field: value}
    result = interpret(EVERY_TYPE, version, raw(parts))
    assert result.error is not None
    assert result.error.path == path
    assert message in result.error.message
    start = offset_of(parts, field)
    # A length that cannot be is told at its own place or right after it.
    assert start <= result.error.offset <= start + len(value) // 2
    assert [name.removesuffix("SizeInBytes") for name in result.value] == before(parts, field)


def before(parts: dict[str, str], field: str) -> list[str]:
    names = list(parts)
    return names[: names.index(field)]


def test_partial_tree_of_a_cut_message() -> None:
    data = raw(PLAIN)
    result = interpret(EVERY_TYPE, 0, data[: offset_of(PLAIN, "epochs") + 8])
    assert result.value["epochs"] == [1]
    assert result.error is not None
    assert result.error.path == "epochs[1]"
    assert result.error.offset == offset_of(PLAIN, "epochs") + 8
    assert "names" not in result.value


@pytest.mark.parametrize(("version", "parts"), [(0, PLAIN), (1, FLEXIBLE)])
def test_what_fits_is_whole_and_well_formed(version: int, parts: dict[str, str]) -> None:
    data = raw(parts)
    assert fits(EVERY_TYPE, version, b"before" + data, 6)
    assert not fits(EVERY_TYPE, version, data + b"\0", 0)
    assert not fits(EVERY_TYPE, version, data[:-1], 0)
    assert not fits(EVERY_TYPE, version, raw(parts | {"name": parts["name"][:-2] + "ff"}), 0)


def test_malformed_text_is_noted_and_replaced() -> None:
    result = interpret(EVERY_TYPE, 0, raw(PLAIN | {"name": "0002ff41"}))
    assert result.error is None
    assert result.value["name"] == "\ufffdA"
    assert result.malformed_texts == [(offset_of(PLAIN, "name"), "name")]


@pytest.mark.parametrize(("version", "parts"), [(0, PLAIN), (1, FLEXIBLE)])
def test_trace_leaves_no_byte_out(version: int, parts: dict[str, str]) -> None:
    data = raw(parts)
    offset = 0
    for field in trace(EVERY_TYPE, version, data):
        assert field.offset == offset
        offset += field.length
    assert offset == len(data)


def test_trace_gives_values() -> None:
    traced = {field.path: field for field in trace(EVERY_TYPE, 1, raw(FLEXIBLE))}
    assert traced["name"].value == "é"
    assert traced["epochs"].value == [1, -1]
    assert traced["names[0]"].value == "a"
    assert traced["cursor.next.id"].value == 7
    assert traced["taggedFields"].value == 3
    assert traced["taggedFields[1]"].value == 99
    assert traced["taggedFields[1].bytes"].value == "/w=="


def test_records_field_tells_its_path_and_place() -> None:
    result = interpret(EVERY_TYPE, 0, raw(PLAIN))
    start = offset_of(PLAIN, "records") + 4
    assert result.records == [RecordsField("records", start, start + 3)]


def test_elements_are_bounded_and_those_before_the_bound_are_shown() -> None:
    message = Message("Names", "0", "none", (Field("names", "[]string", "0+"),))
    count = MAX_INTERPRETED_ELEMENTS + 1
    result = interpret(message, 0, count.to_bytes(4) + b"\0\0" * count)
    assert result.error is not None
    assert result.error.path == f"names[{MAX_INTERPRETED_ELEMENTS}]"
    assert result.value["names"] == [""] * MAX_INTERPRETED_ELEMENTS


def test_tagged_fields_are_bounded_as_elements_are() -> None:
    """Found by `tools.fuzz`: zeros read as a tagged field each two, and half a million of them took a second."""
    names = Message("Named", "0", "0", (Field("name", "string", "0+"),))
    result = interpret(names, 0, b"\x01" + bytes.fromhex("8f4e") + bytes(30_000), most_elements=9_998)
    assert result.error is not None
    assert result.error.path == "taggedFields[9998]"
    assert interpret(names, 0, b"\x01" + bytes.fromhex("8f4e") + bytes(30_000), most_elements=9_999).error is None
