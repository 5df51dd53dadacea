import pytest

from kafkasniff.protocol.bodies.collecting import ID, VALUE, FieldCollector
from kafkasniff.protocol.bodies.tables import FieldTable, make_table, tables_in
from kafkasniff.protocol.fields import Field, Message

TOPIC = (
    Field("name", "string", "0+", nullable="0+"),
    Field("topicId", "uuid", "0+"),
    Field("partitions", "[]int32", "0+"),
    Field("errorCode", "int16", "0+"),
    Field("records", "records", "0+", nullable="0+"),
    Field("hint", "int8", "0+", tagged="0+", tag=0, default=3),
)
TOPICS = Message("Topics", "0", "0+", (Field("topics", "[]Topic", "0+", fields=TOPIC),))

IDS = bytes(range(16)), bytes(range(16, 32))
DATA = bytes.fromhex(
    # Two topics: compact name, id, partitions, error code, records, and tagged fields.
    "03"
    + ("02" + "61" + IDS[0].hex() + "03" + "00000007" + "00000008" + "0000" + "03" + "cafe" + "01" + "00" + "01" + "05")
    + ("00" + IDS[1].hex() + "01" + "0006" + "00" + "01" + "00" + "01" + "03")
    + "00"
)


def table(**roles: int) -> FieldTable:
    made = make_table(TOPICS, 0, frozenset({"topics", *roles}))
    for field in tables_in(made):
        field.role = roles.get(field.name, 0)
    return made


def collected(data: bytes = DATA, **roles: int) -> FieldCollector:
    collector = FieldCollector()
    assert collector.collect(table(**roles), data, 0)
    return collector


def test_values_of_a_field_come_from_all_elements_and_null_is_none() -> None:
    assert collected(name=VALUE).values == ["a"]
    assert collected(partitions=VALUE).values == [7, 8]
    assert collected(name=VALUE, partitions=VALUE).values == ["a", 7, 8]


def test_a_default_of_a_tagged_field_is_no_value() -> None:
    """The second topic says it although it need not."""
    assert collected(hint=VALUE).values == [5]


def test_ids_are_apart_in_the_form_of_kafkas_json() -> None:
    """org.apache.kafka.common.Uuid.toString: URL-safe Base64 without padding."""
    collector = collected(name=VALUE, topicId=ID)
    assert collector.values == ["a"]
    assert collector.ids == ["AAECAwQFBgcICQoLDA0ODw", "EBESExQVFhcYGRobHB0eHw"]


def test_error_codes_and_places_of_records_are_noted_without_a_role() -> None:
    collector = collected(name=VALUE)
    assert collector.codes == [6]
    place = DATA.index(b"\xca\xfe")
    assert collector.batches == [("", place, place + 2)]


def test_one_message_after_the_other() -> None:
    collector = collected(name=VALUE)
    assert collector.collect(table(name=VALUE), b"before" + bytes.fromhex("0100"), 6)
    assert (collector.values, collector.ids, collector.codes, collector.batches) == ([], [], [], [])


@pytest.mark.parametrize("data", [DATA + b"\0", DATA[:-1], b""], ids=["longer", "shorter", "empty"])
def test_a_message_that_does_not_end_with_its_data_is_none(data: bytes) -> None:
    assert not FieldCollector().collect(table(name=VALUE), data, 0)


def test_what_was_collected_is_let_go() -> None:
    collector = collected(name=VALUE, topicId=ID)
    assert collector.clear()
    assert (collector.values, collector.ids, collector.codes, collector.batches) == ([], [], [], [])
