from kafkasniff.tables.parquet.thrift import I32, byte, i32, i64, list_of, struct, text, true, varint, zigzag


def test_numbers_are_those_of_the_specification() -> None:
    # thrift-compact-protocol.md, "Integer encoding".
    assert varint(50_399) == bytes([0xDF, 0x89, 0x03])
    assert [zigzag(number)[0] for number in (0, -1, 1, -2)] == [0, 1, 2, 3]
    assert zigzag(-(1 << 63)) == b"\xff" * 9 + b"\x01"


def test_fields_have_short_heads() -> None:
    value = struct({1: i32(1), 3: text("ab"), 4: true(), 5: byte(7), 10: i64(-1)})
    assert value.raw == bytes([0x15, 2, 0x28, 2, 97, 98, 0x11, 0x13, 7, 0x56, 1, 0])


def test_long_lists_have_their_length_behind() -> None:
    assert list_of(I32, [i32(0)] * 2).raw == bytes([0x25, 0, 0])
    assert list_of(I32, [i32(0)] * 15).raw == bytes([0xF5, 15]) + bytes(15)
