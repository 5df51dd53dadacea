import pytest

from kafkasniff.protocol.bodies.tables import make_table
from kafkasniff.protocol.bodies.walk import passed
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Field, Message
from kafkasniff.protocol.primitives import MAX_ELEMENTS
from tests.conformance.vector_rows import read_value
from tests.protocol.samples import EVERY_TYPE, FLEXIBLE, PLAIN, raw

VERSIONS = [(0, PLAIN), (1, FLEXIBLE)]


@pytest.mark.parametrize(("version", "parts"), VERSIONS)
def test_what_is_whole_and_well_formed_passes(version: int, parts: dict[str, str]) -> None:
    table, data = make_table(EVERY_TYPE, version, frozenset()), raw(parts)
    assert passed(table, b"before" + data, 6, MAX_ELEMENTS) == 6 + len(data)
    assert passed(table, data + b"\0", 0, MAX_ELEMENTS) == len(data)
    for length in range(len(data)):
        assert passed(table, data[:length], 0, MAX_ELEMENTS) == -1
    malformed = parts | {"name": parts["name"][:-2] + "ff"}
    assert passed(table, raw(malformed), 0, MAX_ELEMENTS) == -1


@pytest.mark.parametrize(("version", "parts"), VERSIONS)
def test_passing_over_refuses_what_reading_refuses(version: int, parts: dict[str, str]) -> None:
    whole, none = make_table(EVERY_TYPE, version), make_table(EVERY_TYPE, version, frozenset())
    data = raw(parts)
    for place in range(len(data)):
        for byte in (0, 0x7F, 0x80, 0xFF):
            damaged = data[:place] + bytes([byte]) + data[place + 1 :]
            try:
                end = read_value(whole, damaged, is_partial=False)[1]
            except ProtocolError:
                end = -1
            assert passed(none, damaged, 0, MAX_ELEMENTS) == end


@pytest.mark.parametrize("offset", [3, 4, 1 << 40])
def test_a_body_outside_of_the_data(offset: int) -> None:
    table = make_table(Message("Number", "0", "none", (Field("x", "int32", "0"),)), 0)
    assert passed(table, b"\0\0\0", offset, MAX_ELEMENTS) == -1


def test_elements_are_bounded_over_the_whole_message() -> None:
    inner = Field("x", "[]string", "0")
    table = make_table(Message("Nested", "0", "none", (Field("outer", "[]Outer", "0", fields=(inner,)),)), 0)
    data = (3).to_bytes(4) + 3 * ((4).to_bytes(4) + bytes(8))
    assert passed(table, data, 0, 15) == len(data)
    assert passed(table, data, 0, 14) == -1


@pytest.mark.parametrize("known", [True, False])
def test_tagged_fields_are_bounded_with_the_elements(known: bool) -> None:
    hint = (Field("hint", "int8", "0+", tagged="0+", tag=0),) if known else ()
    fields = (Field("outer", "[]Outer", "0+", fields=(Field("x", "int8", "0+"), *hint)), *hint)
    table = make_table(Message("Tags", "0", "0+", fields), 0)
    # Two elements with two tagged fields each, and one of the message.
    data = bytes.fromhex("03" + 2 * ("05" + "02" + "0100" + "0201ff") + "01" + "0300")
    assert passed(table, data, 0, 2 + 2 * 2 + 1) == len(data)
    assert passed(table, data, 0, 2 + 2 * 2) == -1
