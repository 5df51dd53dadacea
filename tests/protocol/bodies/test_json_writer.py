import json
import struct
from base64 import urlsafe_b64encode

import pytest

from kafkasniff.protocol.bodies.json_writer import JsonWriter, mark_topic_names
from kafkasniff.protocol.bodies.tables import make_table, tables_in
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Field, Message
from kafkasniff.protocol.primitives import MAX_ELEMENTS
from tests.protocol.samples import EVERY_TYPE, FLEXIBLE, JSON_0, PLAIN, raw


def text_of(message: Message, version: int, data: bytes) -> bytes | None:
    return JsonWriter().read(make_table(message, version), data, 0, MAX_ELEMENTS)


def test_every_type() -> None:
    assert text_of(EVERY_TYPE, 0, raw(PLAIN)) == json.dumps(JSON_0, separators=(",", ":"), ensure_ascii=False).encode()


def test_tagged_fields_stand_where_the_definition_has_them() -> None:
    text = text_of(EVERY_TYPE, 1, raw(FLEXIBLE))
    assert text is not None
    assert text.endswith(b'"names":["a"],"hint":"hi","cursor":{"topic":"t","next":{"id":7}},"leader":{"node":9}}')


@pytest.mark.parametrize(
    ("sections", "text"),
    [
        ("00", b'{"name":"n","last":5}'),
        ("02" + "000107" + "010108", b'{"first":7,"name":"n","middle":8,"last":5}'),
        ("02" + "010108" + "000107", b'{"first":7,"name":"n","middle":8,"last":5}'),
        ("02" + "000107" + "000100", b'{"name":"n","last":5}'),
        ("01" + "020109", b'{"name":"n","last":5,"end":9}'),
    ],
)
def test_tagged_fields_before_between_and_behind(sections: str, text: bytes) -> None:
    tagged = [Field(name, "int8", "0", tagged="0", tag=tag) for tag, name in enumerate(("first", "middle", "end"))]
    fields = (tagged[0], Field("name", "string", "0"), tagged[1], Field("last", "int8", "0"), tagged[2])
    outer = Field("outer", "[]Outer", "0", fields=fields)
    inner = "026e" + "05" + sections
    data = bytes.fromhex("03" + inner + inner + "00")
    assert text_of(Message("Tags", "0", "0", (outer,)), 0, data) == b'{"outer":[' + text + b"," + text + b"]}"


NUMBERS = {
    "a": -128,
    "isB": True,
    "errorCode": 0,
    "c": 65535,
    "d": -(2**31),
    "e": 2**32 - 1,
    "f": -(2**63),
    "isG": False,
}
KINDS = ("int8", "bool", "int16", "uint16", "int32", "uint32", "int64", "bool")


@pytest.mark.parametrize("code", [0, 3])
def test_numbers_that_follow_each_other(code: int) -> None:
    fields = tuple(Field(name, kind, "0") for name, kind in zip(NUMBERS, KINDS, strict=True))
    table = make_table(Message("Numbers", "0", "none", (Field("rows", "[]Row", "0", fields=fields),)), 0)
    row = NUMBERS | {"errorCode": code}
    sizes = {"int8": 1, "bool": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8}
    data = b"".join(
        int(value).to_bytes(sizes[kind], signed=value < 0) for value, kind in zip(row.values(), KINDS, strict=True)
    )
    writer = JsonWriter()
    text = writer.read(table, (2).to_bytes(4) + data + data, 0, MAX_ELEMENTS)
    assert text == json.dumps({"rows": [row, row]}, separators=(",", ":")).encode()
    assert writer.errors == ([("rows[0].errorCode", 3), ("rows[1].errorCode", 3)] if code else [])
    with pytest.raises(ProtocolError, match="expected uint32 of 4 bytes, found 3 bytes left"):
        writer.read(table, (1).to_bytes(4) + data[:13], 0, MAX_ELEMENTS)


def test_secrets_are_replaced_where_there_are_any() -> None:
    table = make_table(Message("Secret", "0", "none", (Field("token", "bytes", "0"), Field("name", "string", "0"))), 0)
    for field in tables_in(table):
        field.is_secret = True
    writer = JsonWriter()
    assert writer.read(table, bytes.fromhex("00000001ff 000161"), 0, 0) == b'{"token":"***","name":"***"}'
    assert writer.read(table, bytes.fromhex("00000000 0000"), 0, 0) == b'{"token":"","name":""}'


def test_topic_ids_are_noted() -> None:
    writer = JsonWriter()
    table = make_table(Message("Topic", "0", "none", (Field("topicId", "uuid", "0"),)), 0)
    assert writer.read(table, bytes.fromhex("fbff" + "00" * 14), 0, 0) == b'{"topicId":"-_8AAAAAAAAAAAAAAAAAAA"}'
    assert writer.topic_ids == ["-_8AAAAAAAAAAAAAAAAAAA"]


def test_one_message_after_another() -> None:
    table, data, writer = make_table(EVERY_TYPE, 1), raw(FLEXIBLE), JsonWriter()
    whole = writer.read(table, data, 0, MAX_ELEMENTS)
    for length in range(len(data)):
        with pytest.raises(ProtocolError):
            writer.read(table, data[:length], 0, MAX_ELEMENTS)
    assert writer.read(table, data + b"\0", 0, MAX_ELEMENTS) is None
    assert writer.read(table, data, 0, MAX_ELEMENTS) == whole


ROW = (
    Field("errorCode", "int16", "0"),
    Field("topicId", "uuid", "0"),
    Field("name", "string", "0", nullable="0"),
    Field("tags", "[]string", "0"),
    Field("numbers", "[]int32", "0"),
    Field("records", "records", "0", nullable="0"),
)
ROWS = Message("Rows", "0", "none", (Field("rows", "[]Row", "0", fields=ROW),))


def row_of(number: int) -> bytes:
    """Give an element with an error code, a topic id and records."""
    name = b"\n" * (number * 7 % 2_000)
    numbers = [-1 - value for value in range(number % 200)]
    return b"".join(
        [
            (number % 3).to_bytes(2) + number.to_bytes(16) + len(name).to_bytes(2) + name,
            (2).to_bytes(4) + b"\0\1a\0\0",
            len(numbers).to_bytes(4) + b"".join(value.to_bytes(4, signed=True) for value in numbers),
            (number % 5).to_bytes(4) + bytes(number % 5),
        ]
    )


@pytest.mark.parametrize("count", [0, 1, 40, 3_000])
def test_much_text_with_error_codes_topic_ids_and_records(count: int) -> None:
    data = count.to_bytes(4) + b"".join(map(row_of, range(count)))
    writer = JsonWriter()
    text = writer.read(make_table(ROWS, 0), data, 0, MAX_ELEMENTS)
    ids = [urlsafe_b64encode(number.to_bytes(16)).decode().rstrip("=") for number in range(count)]
    rows = [
        {
            "errorCode": number % 3,
            "topicId": ids[number],
            "name": "\n" * (number * 7 % 2_000),
            "tags": ["a", ""],
            "numbers": [-1 - value for value in range(number % 200)],
            "recordsSizeInBytes": number % 5,
        }
        for number in range(count)
    ]
    assert text == json.dumps({"rows": rows}, separators=(",", ":")).encode()
    assert writer.errors == [(f"rows[{at}].errorCode", at % 3) for at in range(count) if at % 3]
    assert writer.topic_ids == ids
    assert [path for path, _, _ in writer.places] == [f"rows[{at}].records" for at in range(count)]


@pytest.mark.parametrize("most", [0, 4, 12, 14])
def test_more_elements_than_may_be_are_refused(most: int) -> None:
    data = (5).to_bytes(4) + b"".join(map(row_of, range(5)))
    with pytest.raises(ProtocolError, match=r"expected at most [0-9]+ (array|more) elements"):
        JsonWriter().read(make_table(ROWS, 0), data, 0, most)
    assert JsonWriter().read(make_table(ROWS, 0), data, 0, 15) is not None


@pytest.mark.parametrize("length", [0, 126, 127, 128, 16_382, 16_383, 32_767, 32_768, 2_097_151, 3_000_000])
def test_lengths_of_several_bytes(length: int) -> None:
    message = Message("One", "0", "0", (Field("x", "records", "0"), Field("y", "string", "0"), Field("z", "bool", "0")))
    size, left = b"", length + 1
    while left >= 0x80:
        size += bytes([left & 0x7F | 0x80])
        left >>= 7
    size += bytes([left])
    text = b'{"xSizeInBytes":%d,"y":"a","z":true}' % length
    assert text_of(message, 0, size + b"a" * length + b"\2a\1\0") == text
    behind = b"\1" + size + b"a" * length + b"\1\0"
    if length > 32_767:
        with pytest.raises(ProtocolError, match="expected a string of at most 32767 bytes"):
            text_of(message, 0, behind)
    else:
        assert text_of(message, 0, behind) == b'{"xSizeInBytes":0,"y":"%s","z":true}' % (b"a" * length)


@pytest.mark.parametrize(
    ("name", "internal"),
    [("__consumer_offsets", True), ("__", True), ("_", False), ("", False), ("_schemas", False), ("a__", False)],
)
def test_it_notes_whether_a_topic_may_be_kafkas_own(name: str, internal: bool) -> None:
    """org.apache.kafka.common.internals.Topic: their names begin with two underscores."""
    partition = Field("partitions", "[]Partition", "0", fields=(Field("records", "records", "0"),))
    topics = Field("topics", "[]Topic", "0", fields=(Field("name", "string", "0"), partition))
    table = make_table(Message("Fetched", "0", "none", (topics,)), 0)
    [records] = [field for field in tables_in(table) if field.name == "records"]
    mark_topic_names(records)
    data = struct.pack(">ih", 1, len(name)) + name.encode() + struct.pack(">ii", 1, 0)
    writer = JsonWriter()
    assert writer.read(table, data, 0, MAX_ELEMENTS) is not None
    assert writer.names_internal_topic == internal
