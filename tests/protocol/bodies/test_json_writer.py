import json

import pytest

from kafkasniff.protocol.bodies.json_plan import plan_json
from kafkasniff.protocol.bodies.json_writer import JsonWriter
from kafkasniff.protocol.bodies.tables import make_table, tables_in
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Field, Message
from kafkasniff.protocol.primitives import MAX_ELEMENTS
from tests.protocol.samples import EVERY_TYPE, FLEXIBLE, JSON_0, PLAIN, raw


def text_of(message: Message, version: int, data: bytes) -> bytes | None:
    table = make_table(message, version)
    plan_json(table)
    return JsonWriter().read(table, data, 0, MAX_ELEMENTS)


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
    plan_json(table)
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
