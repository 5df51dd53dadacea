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
