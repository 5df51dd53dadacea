"""Bytes after Protocol Buffers' encoding guide, among them its own examples."""

import random

import pytest

from kafkasniff.protocol.embedded.protobuf import ProtoField, Schema, Values, read_message
from kafkasniff.protocol.errors import ProtocolError

SCHEMA: Schema = {
    "Test": {
        1: ProtoField("a", "int64"),
        2: ProtoField("b", "string"),
        3: ProtoField("c", "Test"),
        4: ProtoField("d", "uint32", repeated=True),
        5: ProtoField("e", "double"),
        6: ProtoField("f", "sint32"),
        7: ProtoField("g", "fixed64"),
        8: ProtoField("h", "sfixed64"),
        9: ProtoField("i", "bool"),
        10: ProtoField("j", "bytes"),
        11: ProtoField("k", "string", repeated=True),
        12: ProtoField("l", "fixed64", repeated=True),
    }
}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("", {}),
        ("08 96 01", {"a": 150}),
        ("08 fe ff ff ff ff ff ff ff ff 01", {"a": -2}),
        ("12 07 74657374696e67", {"b": "testing"}),
        ("1a 03 08 96 01", {"c": {"a": 150}}),
        ("22 06 03 8e 02 9e a7 05", {"d": [3, 270, 86942]}),
        ("20 03 20 8e 02", {"d": [3, 270]}),
        ("29 000000000000f83f", {"e": 1.5}),
        ("29 000000000000f87f", {"e": "NaN"}),
        ("30 01 ", {"f": -1}),
        ("30 fe ff ff ff 0f", {"f": 2147483647}),
        ("39 ffffffffffffffff", {"g": 18446744073709551615}),
        ("41 feffffffffffffff", {"h": -2}),
        ("48 02", {"i": True}),
        ("52 02 cafe", {"j": "yv4="}),
        ("5a 01 78 5a 01 79", {"k": ["x", "y"]}),
        ("62 10 0100000000000000 0200000000000000", {"l": [1, 2]}),
        ("08 01 08 02", {"a": 2}),
        # Unknown fields of each wire type.
        ("f8 07 01 f9 07 0000000000000000 fa 07 01 00 fd 07 00000000 08 05", {"a": 5}),
    ],
)
def test_fields(data: str, expected: object) -> None:
    assert read_message(SCHEMA, "Test", bytes.fromhex(data)) == expected


@pytest.mark.parametrize(
    ("data", "offset", "path"),
    [
        ("08", 1, "a"),
        ("08 ff ff ff ff ff ff ff ff ff ff 01", 1, "a"),
        ("12 05 61", 1, "b"),
        ("1a 03 08 96 ff", 3, "c.a"),
        ("29 00", 1, "e"),
        ("0a 00", 1, "a"),
        ("22 02 03 8e", 3, "d"),
        ("f9 07 00", 3, ""),
        ("fb 07", 2, ""),
        ("5a 01 78 5a 09", 4, "k[1]"),
    ],
)
def test_what_is_no_message_says_where(data: str, offset: int, path: str) -> None:
    with pytest.raises(ProtocolError) as raised:
        read_message(SCHEMA, "Test", bytes.fromhex(data))
    assert (raised.value.offset, raised.value.path) == (offset, path)


def test_the_number_of_fields_is_bounded() -> None:
    # The packed field itself counts too.
    values = Values(10)
    assert read_message(SCHEMA, "Test", b"\x22\x09" + bytes(9), values=values) == {"d": [0] * 9}
    assert values.read == 10
    with pytest.raises(ProtocolError, match="at most 10 fields"):
        read_message(SCHEMA, "Test", b"\x22\x0a" + bytes(10), values=Values(10))
    with pytest.raises(ProtocolError, match="at most 200000 fields"):
        read_message(SCHEMA, "Test", b"\x08\x00" * 200_001)


def test_depth_is_bounded() -> None:
    data = b""
    for _ in range(100):
        data = (
            b"\x1a"
            + (bytes([len(data)]) if len(data) < 128 else bytes([len(data) & 0x7F | 0x80, len(data) >> 7]))
            + data
        )
    with pytest.raises(ProtocolError, match="levels"):
        read_message(SCHEMA, "Test", data)


def test_random_bytes_raise_nothing_else() -> None:
    generator = random.Random(714)
    for _ in range(2000):
        try:
            read_message(SCHEMA, "Test", generator.randbytes(generator.randrange(40)))
        except ProtocolError:
            continue
