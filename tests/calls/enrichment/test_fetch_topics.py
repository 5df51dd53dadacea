"""What Fetch requests, laid out by hand, say of partitions; `FetchSessions` alone calls the reader of them."""

import struct
from uuid import UUID

import pytest

from kafkasniff.calls.enrichment.fetch_sessions import FetchSessions, as_decoded
from tests.calls.enrichment.fetches import answer, request

SERVER = "10.0.0.2:9092"
TOPIC_ID = UUID("00010203-0405-0607-0809-0a0b0c0d0e0f")


def by_id(version: int, epoch: int, *partitions: int) -> tuple[int, bytes, int]:
    """Fetch v13 (KIP-516) or later with one topic: the version, the bytes, and where the body begins in them."""
    header = struct.pack(">hhih", 1, version, 5, -1) + b"\0"
    # The replica's id is no field of its own from version 15 on (KIP-903).
    body = struct.pack(">i", -1) if version < 15 else b""
    body += struct.pack(">iiibii", 500, 1, 1000, 0, 7 if epoch else 0, epoch)
    body += b"\2" + TOPIC_ID.bytes + bytes([len(partitions) + 1])
    for partition in partitions:
        body += struct.pack(">iiqiqi", partition, -1, 0, -1, -1, 1000) + b"\0"
    # The end of the topic; no forgotten topics; an empty rack; no tagged fields.
    return version, header + body + b"\0\1\1\0", len(header)


def covered(sessions: FetchSessions, fetch: tuple[int, bytes, int], answered: bytes) -> object:
    step = sessions.follow(SERVER, *fetch, answered)
    decoded = as_decoded(step) if step is not None else None
    return decoded and decoded["value"]


def test_forgotten_topics_stand_behind_those_that_are_named() -> None:
    sessions = FetchSessions()
    assert covered(sessions, request(0, {"orders": [0, 2], "carts": [5]}, session=0), answer()) is None
    left = covered(sessions, request(1, {"carts": [6], "new": [1]}, {"orders": [0], "carts": [5]}), answer())
    assert left == {
        "topics": [
            {"topic": "orders", "partitions": [2]},
            {"topic": "carts", "partitions": [6]},
            {"topic": "new", "partitions": [1]},
        ]
    }


@pytest.mark.parametrize("version", [13, 15, 17])
def test_ids_are_written_as_kafka_writes_them(version: int) -> None:
    sessions = FetchSessions()
    answered = struct.pack(">ibihi", 5, 0, 0, 0, 7) + b"\1\0"
    assert covered(sessions, by_id(version, 0, 4, 6), answered) is None
    # Uuid.toString of Kafka: base64 for URLs, without padding.
    assert covered(sessions, by_id(version, 1, 9), answered) == {
        "topics": [{"topicId": "AAECAwQFBgcICQoLDA0ODw", "partitions": [4, 6, 9]}]
    }


def test_partitions_may_be_forgotten_and_none_named() -> None:
    sessions = FetchSessions()
    covered(sessions, request(0, {"orders": [0, 2], "carts": [5]}, session=0), answer())
    left = covered(sessions, request(1, {}, {"carts": [5]}), answer())
    assert left == {"topics": [{"topic": "orders", "partitions": [0, 2]}]}


@pytest.mark.parametrize("lacking", [1, 3, 30, -1])
def test_a_request_with_a_problem_tells_nothing(lacking: int) -> None:
    version, data, at = request(1, {"orders": [0]}, {"old": [1]})
    changed = data[:-lacking] if lacking > 0 else data + b"\0"
    sessions = FetchSessions()
    sessions.follow(SERVER, *request(0, {"old": [1]}, session=0), answer())
    assert covered(sessions, (version, changed, at), answer()) is None


def test_all_partitions_of_a_topic_that_are_forgotten_are_read() -> None:
    sessions = FetchSessions()
    covered(sessions, request(0, {"orders": [0, 1, 2, 300], "carts": [5, 6]}, session=0), answer())
    left = covered(sessions, request(1, {}, {"orders": [0, 300, 2], "carts": [6, 5]}), answer())
    assert left == {"topics": [{"topic": "orders", "partitions": [1]}]}


@pytest.mark.parametrize(("version", "known"), [(17, True), (99, False)])
def test_what_a_session_of_a_version_that_is_not_known_covers_is_not_known(version: int, known: bool) -> None:
    sessions = FetchSessions()
    answered = struct.pack(">ibihi", 5, 0, 0, 0, 7) + b"\1\0"
    assert covered(sessions, by_id(version, 0, 3), answered) is None
    assert (covered(sessions, by_id(version, 1, 4), answered) is not None) == known
