"""The messages that are no API, against Kafka's own bytes and JSON."""

from collections.abc import Callable

from kafkasniff.protocol.bodies import decode_message
from kafkasniff.protocol.compiler import compile_decoder
from kafkasniff.protocol.definitions import message_definition
from kafkasniff.protocol.interpreter import interpret
from kafkasniff.protocol.message_table import MESSAGES
from kafkasniff.protocol.primitives import read_unsigned_varint
from tests.conformance.vector_rows import Row, json_text, name_of, rows


def split(row: Row) -> tuple[list[int], int]:
    """Give the numbers that stand before the message, as the row's `framing` says, and the message's offset."""
    data = bytes.fromhex(row["hex"])
    framing = row["framing"]
    if framing == "none":
        return [], 0
    if framing.startswith("int16"):
        return [int.from_bytes(data[:2], signed=True)], 2
    assert framing == "varint frameVersion, varint apiKey, varint version"
    numbers, offset = [], 0
    for _ in range(3):
        number, offset = read_unsigned_varint(data, offset)
        numbers.append(number)
    return numbers, offset


def test_messages_decode_as_kafka_prints_them(add_figure: Callable[..., None]) -> None:
    different = []
    for row in rows("other"):
        data = bytes.fromhex(row["hex"])
        _, offset = split(row)
        version = row["version"]
        definition = message_definition(row["type"])
        slow = interpret(definition, version, data, offset)
        decoded = decode_message(row["type"], version, data, offset)
        fast = compile_decoder(definition, version)(data, offset, [])
        expected = json_text(row["json"])
        same = all(json_text(value) == expected for value in (slow.value, decoded.value, fast[0]))
        if not same or slow.error or decoded.problems or not slow.end == decoded.end == fast[1] == len(data):
            different.append(name_of(row))
    add_figure("Other messages", "other", rows=len(rows("other")), different=len(different))
    assert different == []


def test_index_tells_topic_record_type_and_versions() -> None:
    seen = set()
    for row in rows("other"):
        entry = MESSAGES[row["type"]]
        seen.add(entry.name)
        assert entry.first_version <= row["version"] <= entry.last_version
        assert entry.topic == row.get("topic", "")
        number = row.get("record_type", row.get("record_api_key"))
        if number is not None and number >= 0:
            assert entry.record_type == number
    assert seen == set(MESSAGES)
