from kafkasniff.protocol.bodies import DecodedBody, decode_defined
from kafkasniff.protocol.embedded.entries import Embedded, Opened, field_bytes, is_whole
from kafkasniff.protocol.fields import Field, Message

PAIR = Message("Pair", "0", "none", (Field("name", "string", "0"), Field("size", "int16", "0")))


def test_a_whole_message_is_its_value() -> None:
    body = decode_defined(PAIR, 0, bytes.fromhex("ffff 000161 0007"), 2)
    assert body.value == {"name": "a", "size": 7}
    assert is_whole(body)


def test_bytes_left_are_a_problem_beside_the_value() -> None:
    body = decode_defined(PAIR, 0, bytes.fromhex("000161 0007 aabb"))
    assert body.value == {"name": "a", "size": 7}
    assert body.problems == [(5, "", "expected the end of the message, found 2 more bytes")]
    assert not is_whole(body)


def test_a_cut_message_is_partial_with_offset_and_path() -> None:
    body = decode_defined(PAIR, 0, bytes.fromhex("000161 00"))
    assert body.value is None
    assert body.partial == {"name": "a"}
    assert [problem[:2] for problem in body.problems] == [(3, "size")]


def test_text_that_is_not_utf_8_is_a_problem() -> None:
    body = decode_defined(PAIR, 0, bytes.fromhex("0001ff 0007"))
    assert body.value == {"name": "\ufffd", "size": 7}
    assert not is_whole(body)


def test_problems_bear_the_path_of_the_field_and_the_place_within() -> None:
    into = Opened([], [])
    into.add("protocols[0].metadata", "Pair", 0, DecodedBody(0, None, {}, 0, [(3, "size", "expected int16")]))
    assert into.embedded == [Embedded("protocols[0].metadata", "Pair", 0, None, {})]
    assert into.problems == [("protocols[0].metadata", "Pair.size at byte 3: expected int16")]


def test_bytes_of_fields_that_are_null_or_empty() -> None:
    assert field_bytes(None) == field_bytes("") == b""
    assert field_bytes("AAE=") == b"\x00\x01"
