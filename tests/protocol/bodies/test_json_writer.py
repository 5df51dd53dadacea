import json

import pytest

from kafkasniff.protocol.bodies.json_writer import JsonWriter
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
