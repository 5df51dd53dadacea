import pytest

from kafkasniff.protocol.bodies.offsets import trace
from kafkasniff.protocol.bodies.tables import make_table
from tests.protocol.samples import EVERY_TYPE, FLEXIBLE, PLAIN, raw


@pytest.mark.parametrize(("version", "parts"), [(0, PLAIN), (1, FLEXIBLE)])
def test_no_byte_is_left_out(version: int, parts: dict[str, str]) -> None:
    data = raw(parts)
    offset = 0
    for field in trace(make_table(EVERY_TYPE, version), data):
        assert field.offset == offset
        offset += field.length
    assert offset == len(data)


def test_values() -> None:
    traced = {field.path: field for field in trace(make_table(EVERY_TYPE, 1), raw(FLEXIBLE))}
    assert traced["name"].value == "é"
    assert traced["flags"].value == 2
    assert traced["flags[1]"].value is True
    assert traced["epochs"].value == [1, -1]
    assert traced["names[0]"].value == "a"
    assert traced["records"].value == 3
    assert traced["cursor.next.id"].value == 7
    assert traced["taggedFields"].value == 3
    assert traced["taggedFields[1]"].value == 99
    assert traced["taggedFields[1].bytes"].value == "/w=="


def test_fields_before_what_does_not_decode() -> None:
    data = raw(PLAIN)
    place = data.index(bytes.fromhex(PLAIN["epochs"]))
    # One of the two integers is there.
    paths = [field.path for field in trace(make_table(EVERY_TYPE, 0), data[: place + 8])]
    assert paths == [*list(PLAIN)[:12], "flags[0]", "flags[1]"]


def test_a_null_struct_is_its_marker() -> None:
    traced = trace(make_table(EVERY_TYPE, 1), raw(FLEXIBLE | {"cursor": "ff"}))
    assert [(field.length, field.value) for field in traced if field.path == "cursor"] == [(1, -1)]
