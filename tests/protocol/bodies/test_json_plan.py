"""What is written at once is what the walk writes field by field."""

import json
import random
from typing import Any

import pytest

from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.json_plan import plan_json
from kafkasniff.protocol.bodies.json_writer import JsonWriter
from kafkasniff.protocol.bodies.tables import FieldTable, make_table
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Field, Message
from kafkasniff.protocol.primitives import MAX_ELEMENTS
from tests.conformance.vector_rows import API_FILES, rows


def written(table: FieldTable, data: bytes, most: int = MAX_ELEMENTS) -> Any:
    """Give all that a writer tells of a message."""
    writer = JsonWriter()
    try:
        text = writer.read(table, data, 0, most)
    except ProtocolError as error:
        return error.message, error.offset, error.path
    return text, writer.errors, writer.topic_ids, writer.places


def tables(message: Message, version: int = 0) -> tuple[FieldTable, FieldTable]:
    """Give a table without plans and one with them."""
    planned = make_table(message, version)
    plan_json(planned)
    return make_table(message, version), planned


def test_most_messages_have_a_plan() -> None:
    without = []
    for key, api in APIS.items():
        for kind in ("request", "response"):
            table = tables(api_definition(key, kind), api.last_version)[1]
            if table.json_plan is None:
                without.append((key, kind))
    assert len(without) <= 20


@pytest.mark.parametrize("file", API_FILES)
def test_kafkas_bodies_whole_cut_and_damaged(file: str) -> None:
    chance = random.Random(20)
    known: dict[tuple[int, int, str], tuple[FieldTable, FieldTable]] = {}
    for row in rows(file):
        layout = row["api_key"], row["api_version"], row["kind"]
        if layout not in known:
            known[layout] = tables(api_definition(row["api_key"], row["kind"]), row["api_version"])
        walked, planned = known[layout]
        body = bytes.fromhex(row["body_hex"])
        damaged = bytearray(body)
        for _ in range(min(len(body), 2)):
            damaged[chance.randrange(len(body))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        for data in (body, body[: chance.randrange(len(body) + 1)], body + b"\0", bytes(damaged)):
            assert written(planned, data) == written(walked, data), (layout, data.hex())


ROWS = Message(
    "Rows",
    "0-1",
    "1",
    (
        Field(
            "rows",
            "[]Row",
            "0+",
            fields=(
                Field("errorCode", "int16", "0+"),
                Field("topicId", "uuid", "0+"),
                Field("name", "string", "0+", nullable="0+"),
                Field("tags", "[]string", "0+"),
                Field("numbers", "[]int32", "0+"),
                Field("records", "records", "0+", nullable="0+"),
            ),
        ),
    ),
)


def row_of(number: int) -> bytes:
    """Give an element of version 0 with an error code, a topic id and records."""
    name = b"\n" * (number * 7 % 2_000)
    numbers = b"".join((-1 - value).to_bytes(4, signed=True) for value in range(number % 200))
    return (
        (number % 3).to_bytes(2)
        + number.to_bytes(16)
        + len(name).to_bytes(2)
        + name
        + (2).to_bytes(4)
        + b"\0\1a\0\0"
        + (number % 200).to_bytes(4)
        + numbers
        + (number % 5).to_bytes(4)
        + bytes(number % 5)
    )


@pytest.mark.parametrize("count", [0, 1, 40, 3_000])
def test_many_notes_and_much_text(count: int) -> None:
    walked, planned = tables(ROWS)
    data = count.to_bytes(4) + b"".join(map(row_of, range(count)))
    found = written(planned, data)
    assert found == written(walked, data)
    assert len(json.loads(found[0])["rows"]) == count
    assert len(found[3]) == count


def test_elements_are_counted_against_the_limit() -> None:
    walked, planned = tables(ROWS)
    data = (5).to_bytes(4) + b"".join(map(row_of, range(5)))
    for most in range(20):
        assert written(planned, data, most) == written(walked, data, most)


@pytest.mark.parametrize("length", [0, 126, 127, 128, 16_382, 16_383, 32_767, 32_768, 2_097_151, 3_000_000])
def test_lengths_of_several_bytes(length: int) -> None:
    message = Message("One", "0", "0", (Field("x", "records", "0"), Field("y", "string", "0"), Field("z", "bool", "0")))
    walked, planned = tables(message)
    size = b""
    left = length + 1
    while left >= 0x80:
        size += bytes([left & 0x7F | 0x80])
        left >>= 7
    size += bytes([left])
    for data in (size + b"a" * length + b"\2a\1\0", b"\1" + size + b"a" * length + b"\1\0"):
        assert written(planned, data) == written(walked, data)
