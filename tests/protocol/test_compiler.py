import pytest

from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.compiler import compile_decoder
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Field, Message
from kafkasniff.protocol.primitives import MAX_ELEMENTS, RecordsField
from tests.protocol.samples import EVERY_TYPE, FLEXIBLE, JSON_0, JSON_1, PLAIN, raw


@pytest.mark.parametrize(("version", "parts", "value"), [(0, PLAIN, JSON_0), (1, FLEXIBLE, JSON_1)])
def test_every_type(version: int, parts: dict[str, str], value: dict[str, object]) -> None:
    data = b"before" + raw(parts)
    records: list[RecordsField] = []
    assert compile_decoder(EVERY_TYPE, version)(data, 6, records) == (value, len(data))
    [field] = records
    assert field.path == "records"
    assert data[field.start : field.end] == b"\xaa\xbb\xcc"


@pytest.mark.parametrize(("version", "parts"), [(0, PLAIN), (1, FLEXIBLE)])
def test_every_cut_is_refused(version: int, parts: dict[str, str]) -> None:
    decoder = compile_decoder(EVERY_TYPE, version)
    data = raw(parts)
    for length in range(len(data)):
        with pytest.raises(ProtocolError):
            decoder(data[:length], 0, [])


def test_adjacent_fixed_fields_are_read_at_once() -> None:
    source = compile_decoder(api_definition(12, "response"), 1).__source__
    # Heartbeat's throttleTimeMs and errorCode.
    assert source.count("unpack_") == 1
    assert "unpack_ih(data, p)" in source


@pytest.mark.parametrize(
    ("version", "field", "value"),
    [
        (0, "name", "ffff"),
        (0, "name", "7fff"),
        (0, "flags", "ffffffff"),
        (0, "flags", "7fffffff"),
        (0, "epochs", "7fffffff"),
        (0, "data", "7fffffff"),
        (0, "records", "7fffffff"),
        (1, "name", "00"),
        (1, "name", "ffffffff07"),
        (1, "name", "808080808001"),
        (1, "flags", "00"),
        (1, "flags", "ffffffff07"),
        (1, "epochs", "ffffffff07"),
        (1, "epochs", "8080808008"),
        (1, "taggedFields", "016305"),
        (1, "taggedFields", "01630f"),
    ],
)
def test_impossible_lengths_are_refused(version: int, field: str, value: str) -> None:
    parts = (PLAIN, FLEXIBLE)[version] | {field: value}
    with pytest.raises(ProtocolError):
        compile_decoder(EVERY_TYPE, version)(raw(parts), 0, [])


def test_strings_have_at_most_32767_bytes() -> None:
    message = Message("Text", "0", "0+", (Field("text", "string", "0+"),))
    decoder = compile_decoder(message, 0)
    longest = b"\x80\x80\x02" + b"a" * 32767 + b"\0"
    assert decoder(longest, 0, []) == ({"text": "a" * 32767}, len(longest))
    with pytest.raises(ProtocolError, match="at most 32767"):
        decoder(b"\x81\x80\x02" + b"a" * 32768 + b"\0", 0, [])


def test_array_elements_are_bounded_over_the_whole_message() -> None:
    message = Message("Nested", "0", "none", (Field("outer", "[]Outer", "0+", fields=(Field("x", "[]string", "0+"),)),))
    decoder = compile_decoder(message, 0)
    inner = (1000).to_bytes(4) + b"\0\0" * 1000
    fits = MAX_ELEMENTS // 1001
    value, _ = decoder(fits.to_bytes(4) + inner * fits, 0, [])
    assert len(value["outer"]) == fits
    with pytest.raises(ProtocolError, match="fewer array elements"):
        decoder((fits + 1).to_bytes(4) + inner * (fits + 1), 0, [])


@pytest.mark.parametrize("known", [True, False])
def test_tagged_fields_are_bounded_with_the_elements_of_the_whole_message(known: bool) -> None:
    hint = (Field("hint", "int8", "0+", tagged="0+", tag=0),) if known else ()
    name = Field("x", "int8", "0+")
    message = Message("Tags", "0", "0+", (Field("outer", "[]Outer", "0+", fields=(name, *hint)), *hint))
    decoder = compile_decoder(message, 0)
    # Two elements with two tagged fields each, and one of the message.
    data = bytes.fromhex("03" + 2 * ("05" + "02" + "0100" + "0201ff") + "01" + "0300")
    value, end = decoder(data, 0, [], 2 + 2 * 2 + 1)
    assert (len(value["outer"]), end) == (2, len(data))
    with pytest.raises(ProtocolError, match="fewer tagged fields"):
        decoder(data, 0, [], 2 + 2 * 2)


def test_a_tag_of_another_version_is_refused_as_kafka_does() -> None:
    message = Message("Tags", "0-1", "0+", (Field("hint", "int8", "1+", tagged="1+", tag=0),))
    data = bytes.fromhex("01" + "0001" + "07")
    assert compile_decoder(message, 1)(data, 0, []) == ({"hint": 7}, 4)
    with pytest.raises(ProtocolError, match="no tag 0"):
        compile_decoder(message, 0)(data, 0, [])


def test_the_last_of_two_equal_tags_wins_and_a_default_is_not_shown() -> None:
    message = Message("Tags", "0", "0+", (Field("hint", "int8", "0+", tagged="0+", tag=0),))
    decoder = compile_decoder(message, 0)
    assert decoder(bytes.fromhex("02" + "000107" + "000108"), 0, [])[0] == {"hint": 8}
    assert decoder(bytes.fromhex("02" + "000107" + "000100"), 0, [])[0] == {}


def test_text_that_is_not_utf8_is_left_to_the_interpreter() -> None:
    with pytest.raises(ProtocolError):
        compile_decoder(EVERY_TYPE, 0)(raw(PLAIN | {"name": "0002ffff"}), 0, [])


def test_no_element_of_an_array_is_empty() -> None:
    """Else a count could be large with no bytes behind it."""

    def least_sizes(fields: tuple[Field, ...], version: int) -> list[str]:
        present = [field for field in fields if _has(field.versions, version)]
        empty = [field.name for field in present if field.is_array and field.fields and not _any(field, version)]
        return empty + [name for field in present for name in least_sizes(field.fields, version)]

    def _has(versions: str, version: int) -> bool:
        first, _, last = versions.removesuffix("+").partition("-")
        return int(first) <= version <= (32767 if versions.endswith("+") else int(last or first))

    def _any(field: Field, version: int) -> bool:
        return any(_has(inner.versions, version) and inner.tag is None for inner in field.fields)

    for api in APIS.values():
        for kind in ("request", "response"):
            definition = api_definition(api.key, kind)
            for version in range(api.first_version, api.last_version + 1):
                assert least_sizes(definition.fields, version) == []
