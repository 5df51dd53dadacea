"""The messages that are no API, against Kafka's own bytes and JSON."""

from collections.abc import Callable

from kafkasniff.protocol.bodies import decode_message
from kafkasniff.protocol.bodies.tables import make_table
from kafkasniff.protocol.definitions import message_definition
from kafkasniff.protocol.embedded.internal_records import decode_internal_record
from kafkasniff.protocol.message_table import MESSAGES
from kafkasniff.protocol.primitives import read_unsigned_varint
from tests.conformance.vector_rows import Row, json_text, name_of, read_value, rows


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
        table = make_table(message_definition(row["type"]), version)
        partial = read_value(table, data, offset, is_partial=True)
        decoded = decode_message(row["type"], version, data, offset)
        whole = read_value(table, data, offset, is_partial=False)
        expected = json_text(row["json"])
        same = all(json_text(value) == expected for value in (partial[0], decoded.value, whole[0]))
        if not same or decoded.problems or not partial[1] == decoded.end == whole[1] == len(data):
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


def test_records_of_internal_topics_are_told_by_their_framing(add_figure: Callable[..., None]) -> None:
    # A value alone does not say what it is: it takes the key of its kind.
    keys = {row["type"].removesuffix("Key"): bytes.fromhex(row["hex"]) for row in rows("other") if row["role"] == "key"}
    records = [row for row in rows("other") if "topic" in row]
    different = []
    for row in records:
        data = bytes.fromhex(row["hex"])
        key, value = {
            "key": (data, None),
            "value": (keys.get(row["type"].removesuffix("Value")), data),
            "metadata": (None, data),
        }[row["role"]]
        opened = decode_internal_record(row["topic"], key, value, show_secrets=True)
        assert opened is not None
        path = "key" if row["role"] == "key" else "value"
        found = [entry for entry in opened.embedded if entry.path == path]
        # The random bytes in GroupMetadataValue's members are no subscriptions.
        problems = [problem for problem in opened.problems if problem[0] in ("key", "value")]
        expected = [(row["type"], row["version"], json_text(row["json"]))]
        if problems or [(entry.type, entry.version, json_text(entry.value)) for entry in found] != expected:
            different.append(name_of(row))
    add_figure("Other messages", "records of internal topics", rows=len(records), different=len(different))
    assert different == []
