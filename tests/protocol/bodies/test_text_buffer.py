"""What is written into a buffer, by way of the writer of JSON: the methods of the buffer are C functions."""

import json
from base64 import b64encode

import pytest

from kafkasniff.protocol.bodies.json_writer import JsonWriter
from kafkasniff.protocol.bodies.tables import make_table
from kafkasniff.protocol.fields import Field, Message
from kafkasniff.protocol.primitives import MAX_ELEMENTS


def written(kind: str, data: bytes) -> bytes:
    table = make_table(Message("One", "0", "none", (Field("x", kind, "0"),)), 0)
    text = JsonWriter().read(table, data, 0, MAX_ELEMENTS)
    assert text is not None
    return text.removeprefix(b'{"x":').removesuffix(b"}")


@pytest.mark.parametrize("value", [0, 7, -7, 10, 99, 100, -(2**31), 2**63 - 1, 10**18, -(2**63), -(2**63) + 1])
def test_numbers(value: int) -> None:
    assert written("int64", value.to_bytes(8, signed=True)) == str(value).encode()


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("digits", range(1, 20))
def test_numbers_of_every_length(digits: int, sign: int) -> None:
    for value in (10 ** (digits - 1), int("123456789123456789"[:digits]), min(10**digits, 2**63) - 1):
        assert written("int64", (sign * value).to_bytes(8, signed=True)) == str(sign * value).encode()


@pytest.mark.parametrize("count", [0, 1, 2, 63, 64, 65, 128, 1000])
@pytest.mark.parametrize(("kind", "size"), [("int8", 1), ("int16", 2), ("uint16", 2), ("int32", 4), ("int64", 8)])
def test_arrays_of_integers(kind: str, size: int, count: int) -> None:
    is_signed = not kind.startswith("u")
    most = 256**size // (2 if is_signed else 1) - 1
    numbers = [most - index if index % 2 or not is_signed else index - most for index in range(min(count, most))]
    data = len(numbers).to_bytes(4) + b"".join(number.to_bytes(size, signed=is_signed) for number in numbers)
    assert written(f"[]{kind}", data) == json.dumps(numbers, separators=(",", ":")).encode()


@pytest.mark.parametrize("length", [*range(1, 20), 40])
def test_one_odd_character_anywhere(length: int) -> None:
    for odd in ('"', "\\", "\n", "\x1f", "\x7f", "é"):
        for place in range(length):
            text = "a" * place + odd + "b" * (length - place - 1)
            raw = text.encode()
            assert json.loads(written("string", len(raw).to_bytes(2) + raw)) == text


@pytest.mark.parametrize("text", ["", "plain", 'say "\\"', "é ☃ \U0001f600", "".join(map(chr, range(128))), "a" * 5000])
def test_strings(text: str) -> None:
    raw = text.encode()
    found = written("string", len(raw).to_bytes(2) + raw)
    assert json.loads(found) == text
    assert len(found) == len(json.dumps(text, ensure_ascii=False).encode())


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 100_000])
def test_base64(size: int) -> None:
    raw = bytes(index * 7 & 0xFF for index in range(size))
    assert written("bytes", size.to_bytes(4) + raw) == b'"' + b64encode(raw) + b'"'


@pytest.mark.parametrize("before", range(1024 - 80, 1024 + 2))
def test_values_that_end_where_the_room_does(before: int) -> None:
    """The room doubles from 1,024 bytes on: what is written at its end must be all there, whatever it is."""
    raw = bytes(range(200, 205))
    for size in range(5):
        data = before.to_bytes(2) + b"a" * before + size.to_bytes(4) + raw[:size] + (2**63).to_bytes(8) + b"\0\3\n\x1fb"
        fields = (
            Field("x", "string", "0"),
            Field("y", "bytes", "0"),
            Field("n", "int64", "0"),
            Field("z", "string", "0"),
        )
        text = JsonWriter().read(make_table(Message("One", "0", "none", fields), 0), data, 0, MAX_ELEMENTS)
        assert text is not None
        assert json.loads(text) == {
            "x": "a" * before,
            "y": b64encode(raw[:size]).decode(),
            "n": -(2**63),
            "z": "\n\x1fb",
        }
