import struct

import pytest

from kafkasniff.calls.enrichment.topics import (
    FETCH,
    TopicNames,
    has_topic_ids,
    may_fetch_metadata_log,
    topic_of,
)
from kafkasniff.protocol.bodies import DecodedBody, decode_body
from kafkasniff.protocol.fields import Kind
from tests.protocol.records.made_batches import batch, record, simple_batch

ORDERS, PAYMENTS = "B2R2a5S9QMaGx0sVYQVc6g", "xa9GcpNVS4OnzAiYYUP5bQ"
METADATA_LOG = "AAAAAAAAAAAAAAAAAAAAAQ"
NO_ID = "AAAAAAAAAAAAAAAAAAAAAA"


def test_names_are_learnt_from_answers() -> None:
    names = TopicNames()
    names.learn({"topics": [{"topicId": ORDERS, "name": "orders"}, {"topicId": PAYMENTS, "name": None}]})
    assert names.get(ORDERS) == "orders"
    assert names.get(PAYMENTS) is None
    assert names.of([PAYMENTS, ORDERS]) == {ORDERS: "orders"}


def test_answers_of_old_versions_and_failed_topics_tell_no_id() -> None:
    names = TopicNames()
    names.learn({"topics": [{"name": "orders"}, {"topicId": NO_ID, "name": "payments"}]})
    assert names.of([NO_ID]) == {}


def test_the_metadata_log_has_the_same_id_everywhere() -> None:
    assert TopicNames().get(METADATA_LOG) == "__cluster_metadata"


def test_the_oldest_names_are_forgotten() -> None:
    names = TopicNames(most=2)
    for number in range(3):
        names.add(f"id-{number}", f"topic-{number}")
    names.add("id-2", "topic-2")
    assert names.of(["id-0", "id-1", "id-2"]) == {"id-1": "topic-1", "id-2": "topic-2"}


def test_long_names_are_cut() -> None:
    names = TopicNames()
    names.add("id", "t" * 32_000)
    assert len(names.get("id") or "") == 255
    names.add("other", "t" * 249)
    assert names.get("other") == "t" * 249


LOG = b"__cluster_metadata"
# Frame version 1, TopicRecord (2) version 0, the name as a compact string, the id, no tagged fields.
TOPIC_RECORD = b"\1\2\0" + b"\7orders" + bytes(range(16)) + b"\0"


def compact(content: bytes) -> bytes:
    """An unsigned varint of the length and one, and the bytes."""
    length, size = bytearray(), len(content) + 1
    while size > 127:
        length.append(size & 127 | 128)
        size >>= 7
    return bytes([*length, size]) + content


def fetched(*topics: tuple[bytes, bytes]) -> tuple[bytes, DecodedBody]:
    """An answer to Fetch v12 with these topics, each with the records of its partition 0."""
    data = struct.pack(">ihi", 0, 0, 0) + bytes([len(topics) + 1])
    for name, records in topics:
        data += compact(name) + b"\2" + struct.pack(">ihqqq", 0, 0, 9, 9, 0) + b"\0" + struct.pack(">i", -1)
        data += compact(records) + b"\0\0"
    data += b"\0"
    body = decode_body(FETCH, 12, "response", data, 0)
    assert body.problems == []
    return data, body


def learnt(*topics: tuple[bytes, bytes]) -> str | None:
    names = TopicNames()
    names.learn_from_log(FETCH, *fetched(*topics))
    return names.get("AAECAwQFBgcICQoLDA0ODw")


def test_names_are_learnt_from_records_of_the_metadata_log() -> None:
    records = batch(record(0, None, TOPIC_RECORD) + record(1, None, b"\1\x63\0 unknown"), 2)
    assert learnt((LOG, records)) == "orders"
    # Other topics may stand before it; their records name nothing.
    assert learnt((b"carts", records)) is None
    assert learnt((b"carts", simple_batch(1)), (LOG, records)) == "orders"


def test_batches_that_are_damaged_or_control_ones_name_nothing() -> None:
    whole = batch(record(0, None, TOPIC_RECORD), 1)
    control = batch(record(0, b"\0\0\0\1", TOPIC_RECORD), 1, attributes=1 << 5)
    damaged = whole[:-1] + b"\1"
    assert [learnt((LOG, first)) for first in (control, damaged)] == [None, None]
    assert [learnt((LOG, first + whole)) for first in (control, damaged)] == ["orders", "orders"]


@pytest.mark.parametrize(("count", "name"), [(32_000, "orders"), (32_768, None)])
def test_so_many_records_of_the_metadata_log_are_read(count: int, name: str | None) -> None:
    """16 MiB: a record takes its bytes, here 7 in batches that are not compressed, and 512 for what it is made to."""
    records = record(0, None, None) * count
    assert learnt((LOG, batch(records, count) + batch(record(0, None, TOPIC_RECORD), 1))) == name


def test_a_request_for_the_metadata_log_is_told_by_its_name_or_id() -> None:
    assert may_fetch_metadata_log(b"xx__cluster_metadataxx")
    assert may_fetch_metadata_log(b"xx" + bytes(15) + b"\1xx")
    assert not may_fetch_metadata_log(b"xx" + bytes(15) + b"\2orders")


@pytest.mark.parametrize(
    ("value", "path", "name"),
    [
        ({"responses": [{"topic": "a"}, {"topic": "orders"}]}, "responses[1].partitions[0].records", "orders"),
        ({"topicData": [{"topicId": ORDERS}]}, "topicData[0].partitionData[3].records", "orders"),
        (
            {"topics": [{"name": "__cluster_metadata"}]},
            "topics[0].partitions[0].unalignedRecords",
            "__cluster_metadata",
        ),
        ({"topicData": [{"topicId": PAYMENTS}]}, "topicData[0].partitionData[0].records", None),
        ({"responses": []}, "responses[0].partitions[0].records", None),
    ],
)
def test_records_belong_to_the_topic_around_them(value: dict[str, object], path: str, name: str | None) -> None:
    names = TopicNames()
    names.add(ORDERS, "orders")
    assert topic_of(value, path, names) == name


def test_topic_ids_came_with_later_versions() -> None:
    assert has_topic_ids(0, 13, "request")
    assert not has_topic_ids(0, 12, "request")
    assert has_topic_ids(3, 10, "response")
    assert not has_topic_ids(12, 4, "response")
    assert not has_topic_ids(999, 0, "request")


def test_what_was_known_at_a_moment_stays_so() -> None:
    names = TopicNames()
    before = names.now
    names.add(ORDERS, "orders")
    then = names.now
    assert names.now is then
    names.add(PAYMENTS, "payments")
    assert names.learnt == 2
    assert [known.get(ORDERS) for known in (before, then, names.now)] == [None, "orders", "orders"]
    assert [known.get(PAYMENTS) for known in (before, then, names.now)] == [None, None, "payments"]
    assert [known.known() for known in (before, then)] == [{}, {ORDERS: "orders"}]
    assert names.known() == names.now.known() == {ORDERS: "orders", PAYMENTS: "payments"}
    # The id of the metadata log is known from the beginning, and no topic's.
    assert before.get(METADATA_LOG) == "__cluster_metadata"


def test_a_name_once_learnt_stays() -> None:
    names = TopicNames()
    names.add(ORDERS, "orders")
    names.add(ORDERS, "other")
    assert (names.get(ORDERS), names.learnt) == ("orders", 1)


@pytest.mark.parametrize(
    ("api_key", "version", "side", "has"),
    [
        # KIP-516: Fetch 13, Produce 13, CreateTopics 7, DeleteTopics 6, Metadata 10.
        *((1, 12, "request", False), (1, 13, "request", True), (1, 12, "response", False), (1, 13, "response", True)),
        *((0, 12, "response", False), (0, 13, "response", True), (19, 6, "response", False), (19, 7, "response", True)),
        *((20, 5, "response", False), (20, 6, "response", True), (3, 9, "response", False), (3, 10, "request", True)),
        (75, 0, "response", True),
    ],
)
def test_bodies_that_name_topics_by_id(api_key: int, version: int, side: Kind, has: bool) -> None:
    assert has_topic_ids(api_key, version, side) == has


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"topics": [{"name": None, "partitions": [{}]}]}, "topics[0].partitions[0].records"),
        ({"topics": None}, "topics[0].records"),
        ({"topics": [{}]}, "topics[1].records"),
        ({"name": "orders"}, "records"),
    ],
)
def test_a_body_that_ends_too_soon_names_no_topic(value: dict[str, object], path: str) -> None:
    assert topic_of(value, path, TopicNames()) is None


def test_a_topic_is_named_by_the_outermost_array() -> None:
    value = {"topics": [{"topicId": ORDERS, "partitions": [{"name": "inner"}]}]}
    names = TopicNames()
    assert topic_of(value, "topics[0].partitions[0].records", names) is None
    names.add(ORDERS, "orders")
    assert topic_of(value, "topics[0].partitions[0].records", names) == "orders"
