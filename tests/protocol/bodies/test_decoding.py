import struct

import pytest

from kafkasniff.protocol.bodies import decode_body, decode_message, find_entities, find_errors
from kafkasniff.protocol.bodies.decoding import is_unsupported_version

HEARTBEAT = 12
METADATA = 3
API_VERSIONS = 18

HEARTBEAT_REQUEST = bytes.fromhex("0001" + "67" + "00000007" + "0001" + "6d")


def test_whole_body() -> None:
    body = decode_body(HEARTBEAT, 0, "request", b"header" + HEARTBEAT_REQUEST, 6)
    assert (body.version, body.value, body.partial) == (0, {"groupId": "g", "generationId": 7, "memberId": "m"}, None)
    assert (body.end, body.problems, body.records) == (6 + len(HEARTBEAT_REQUEST), [], [])


def test_bytes_behind_a_whole_body_are_a_problem_beside_it() -> None:
    body = decode_body(HEARTBEAT, 0, "request", HEARTBEAT_REQUEST + b"\0\0\0", 0)
    assert body.value is not None
    assert body.problems == [(10, "", "expected the end of the body, found 3 more bytes")]


def test_cut_body_gives_what_there_is() -> None:
    body = decode_body(HEARTBEAT, 0, "request", HEARTBEAT_REQUEST[:8], 0)
    assert body.value is None
    assert body.partial == {"groupId": "g", "generationId": 7}
    [(offset, path, message)] = body.problems
    assert (offset, path) == (7, "memberId")
    assert message == "expected the length of a string of 2 bytes, found 1 bytes left"


def test_offset_beyond_the_data() -> None:
    body = decode_body(HEARTBEAT, 0, "request", b"", 4)
    assert body.value is None
    assert body.problems


@pytest.mark.parametrize(("key", "version"), [(999, 0), (-1, 0), (METADATA, 99), (METADATA, -1)])
def test_what_is_not_known_is_said(key: int, version: int) -> None:
    body = decode_body(key, version, "request", b"headerbody", 6)
    assert (body.value, body.partial) == (None, None)
    [(offset, path, message)] = body.problems
    assert (offset, path) == (6, "")
    assert "not known" in message
    assert "4 bytes not decoded" in message


def test_text_that_is_not_utf8_is_shown_with_a_problem() -> None:
    data = bytes.fromhex("0001" + "ff" + "00000007" + "0001" + "6d")
    body = decode_body(HEARTBEAT, 0, "request", data, 0)
    assert body.value == {"groupId": "\ufffd", "generationId": 7, "memberId": "m"}
    assert body.problems == [(0, "groupId", "expected UTF-8, found other bytes (shown as U+FFFD)")]


UNSUPPORTED = bytes.fromhex("0023" + "00000001" + "0012" + "0000" + "0004")


@pytest.mark.parametrize("asked", [1, 2, 3, 4, 5, 99])
def test_api_versions_answered_in_version_0(asked: int) -> None:
    body = decode_body(API_VERSIONS, asked, "response", UNSUPPORTED, 0)
    assert body.version == 0
    assert body.value == {"errorCode": 35, "apiKeys": [{"apiKey": 18, "minVersion": 0, "maxVersion": 4}]}
    assert body.problems == []


def failed_fetch(topic: bytes = b"orders") -> bytes:
    """A Fetch response in version 0: one partition with error -1 and no records."""
    partition = struct.pack(">ihqi", 2, -1, -1, 0)
    return struct.pack(">ih", 1, len(topic)) + topic + struct.pack(">i", 1) + partition


@pytest.mark.parametrize("asked", [1, 2])
def test_a_failed_fetch_answered_in_version_0(asked: int) -> None:
    body = decode_body(1, asked, "response", failed_fetch(), 0)
    assert (body.version, body.problems) == (0, [])
    assert body.value is not None
    assert body.value["responses"][0]["partitions"][0]["errorCode"] == -1


def test_only_what_is_version_0_to_the_last_byte_is_taken_for_it() -> None:
    for data in (failed_fetch() + b"\0", failed_fetch()[:-1], bytes(4)):
        assert decode_body(1, 1, "response", data, 0).version == 1
    whole = decode_body(1, 1, "response", bytes(4) + failed_fetch(), 0)
    assert (whole.version, whole.problems) == (1, [])
    assert decode_body(1, 3, "response", failed_fetch(), 0).version == 3


def test_api_versions_with_that_error_in_the_version_asked() -> None:
    answer = decode_body(API_VERSIONS, 1, "response", UNSUPPORTED + bytes(4), 0)
    assert (answer.version, answer.problems) == (1, [])
    flexible = bytes.fromhex("0023" + "02" + "001200000004" + "00" + "00000000" + "00")
    answer = decode_body(API_VERSIONS, 3, "response", flexible, 0)
    assert (answer.version, answer.problems) == (3, [])
    assert answer.value is not None
    assert answer.value["apiKeys"] == [{"apiKey": 18, "minVersion": 0, "maxVersion": 4}]


def test_huge_array_fails_at_once() -> None:
    body = decode_body(METADATA, 1, "request", bytes.fromhex("7fffffff"), 0)
    assert body.problems == [(0, "topics", "expected an array of 2147483647 MetadataRequestTopic, found 4 bytes left")]


def test_records_are_located() -> None:
    # Produce v3: null transactional id, acks 1, one topic, two partitions: 3 bytes of records, and null.
    data = bytes.fromhex(
        "ffff" + "0001" + "00000064" + "00000001" + "0001" + "74" + "00000002" + "00000000" + "00000003" + "aabbcc"
    ) + bytes.fromhex("00000001" + "ffffffff")
    body = decode_body(0, 3, "request", data, 0)
    assert body.value is not None
    assert body.value["topicData"][0]["partitionData"] == [
        {"index": 0, "recordsSizeInBytes": 3},
        {"index": 1, "records": None},
    ]
    [field] = body.records
    assert field.path == "topicData[0].partitionData[0].records"
    assert data[field.start : field.end] == b"\xaa\xbb\xcc"


def test_message_that_is_no_api() -> None:
    body = decode_message("OffsetCommitKey", 0, bytes.fromhex("0001" + "0001" + "67" + "0001" + "74" + "00000005"), 2)
    assert body.value == {"group": "g", "topic": "t", "partition": 5}
    assert (
        decode_message("OffsetCommitKey", 9, b"").problems[0][2].startswith("version 9 of OffsetCommitKey is not known")
    )
    with pytest.raises(KeyError):
        decode_message("NoSuchMessage", 0, b"")


def test_find_errors_names_the_path() -> None:
    value = {
        "throttleTimeMs": 0,
        "topics": [
            {
                "name": "a",
                "partitions": [{"partitionIndex": 0, "errorCode": 0}, {"partitionIndex": 1, "errorCode": 27}],
            },
            {"name": "b", "partitions": [{"partitionIndex": 0, "errorCode": 22}]},
        ],
    }
    assert find_errors(8, 3, "response", value) == [
        ("topics[0].partitions[1].errorCode", 27),
        ("topics[1].partitions[0].errorCode", 22),
    ]
    assert find_errors(HEARTBEAT, 0, "request", {"groupId": "g", "generationId": 7, "memberId": "m"}) == []


def test_find_entities_by_type_without_repeats() -> None:
    value = {
        "groupId": "g",
        "generationIdOrMemberEpoch": 1,
        "memberId": "m",
        "topics": [{"name": "b", "partitions": []}, {"name": "a", "partitions": []}, {"name": "b", "partitions": []}],
    }
    assert find_entities(8, 5, "request", value) == {"groupId": ["g"], "topicName": ["b", "a"]}


def test_find_entities_leaves_out_what_names_nothing() -> None:
    value = {
        "topics": [
            {"topicId": "AAAAAAAAAAAAAAAAAAAAAA", "name": None},
            {"topicId": "AAAAAAAAAAAAAAAAAAAAAg", "name": "t"},
        ],
        "allowAutoTopicCreation": False,
        "includeTopicAuthorizedOperations": False,
    }
    assert find_entities(METADATA, 12, "request", value) == {"topicId": ["AAAAAAAAAAAAAAAAAAAAAg"], "topicName": ["t"]}


@pytest.mark.parametrize(
    ("version", "error_code", "count", "behind", "unsupported"),
    [
        # Behind version 2 lengths are compact: an int32 of fewer than 2^24 has a first byte of zero, which is none.
        *((3, 35, 0, 0, True), (3, 35, (1 << 24) - 1, 0, True), (3, 35, 1 << 24, 0, False), (3, 35, -1, 0, False)),
        *((3, 0, 1, 6, False), (0, 35, 0, 0, False)),
        # Versions 1 and 2 have four bytes more.
        *((1, 35, 2, 12, True), (2, 35, 2, 12, True), (2, 35, 2, 16, False), (2, 35, 2, 11, False)),
    ],
)
def test_an_answer_in_version_0_says_that_the_version_is_not_supported(
    version: int, error_code: int, count: int, behind: int, unsupported: bool
) -> None:
    """KIP-511."""
    data = b"head" + struct.pack(">hi", error_code, count) + bytes(behind)
    assert is_unsupported_version(version, data, 4) == unsupported
    assert not is_unsupported_version(version, data[:9], 4)
