"""What calls tell of each partition, of messages packed here field by field."""

import struct
from typing import Any

import pytest

from kafkasniff.tables.declared import PARTITIONS_NAMED
from kafkasniff.tables.partition_rows import apis_telling, partition_rows
from tests.protocol.records.made_batches import batch, record
from tests.render.made_calls import made_call, request_bytes, text

COLUMNS = [column.name for column in PARTITIONS_NAMED.columns]


def one_topic(*partitions: bytes) -> bytes:
    """An array with the topic `orders`, which has an array of partitions."""
    return struct.pack(">i", 1) + text("orders") + struct.pack(">i", len(partitions)) + b"".join(partitions)


def rows(key: int, version: int, request: bytes, response: bytes | None) -> list[dict[str, Any]]:
    answer = None if response is None else struct.pack(">i", 7) + response
    call = made_call(request_bytes(key, version, 7, "shop", request), answer)
    found = []
    for table, _, row in partition_rows("v", call):
        assert table == PARTITIONS_NAMED.name
        found.append(dict(zip(COLUMNS, row, strict=True)))
    return found


def told(found: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    assert {row["topic"] for row in found} == {"orders"}
    return [tuple(row[name] for name in ("partition", *names)) for row in found]


def fetched(partition: int, high: int, records: bytes, code: int = 0) -> bytes:
    return struct.pack(">ihqqii", partition, code, high, high, -1, len(records)) + records


def test_a_fetch_tells_how_far_behind_who_reads_is() -> None:
    """Behind partition 0's batch are 10 - 7 records, behind the offset asked of partition 1 are 30 - 25."""
    asked = one_topic(struct.pack(">iqi", 0, 5, 1_000), struct.pack(">iqi", 1, 25, 1_000))
    request = struct.pack(">iiiib", -1, 500, 1, 1_000_000, 0) + asked
    records = batch(record(0, None, b"a") + record(1, None, b"b"), 2, base_offset=5)
    response = struct.pack(">i", 0) + one_topic(fetched(0, 10, records), fetched(1, 30, b""))
    found = rows(1, 4, request, response)
    assert told(found, "offset", "records", "bytes", "high_watermark", "lag") == [
        (0, 5, 2, len(records), 10, 3),
        (1, 25, 0, 0, 30, 5),
    ]


def test_a_fetch_that_failed_tells_of_no_lag() -> None:
    request = struct.pack(">iiiib", -1, 500, 1, 1_000_000, 0) + one_topic(struct.pack(">iqi", 0, 5, 1_000))
    response = struct.pack(">i", 0) + one_topic(fetched(0, -1, b"", code=6))
    assert told(rows(1, 4, request, response), "error_code", "error_name", "lag") == [
        (0, 6, "NOT_LEADER_OR_FOLLOWER", None)
    ]


def test_commits_and_their_answers() -> None:
    """OffsetCommit v2."""
    request = text("billing") + struct.pack(">i", 1) + text("m-1") + struct.pack(">q", -1)
    request += one_topic(struct.pack(">iq", 3, 42) + text(None))
    response = one_topic(struct.pack(">ih", 3, 22))
    found = rows(8, 2, request, response)
    assert told(found, "offset", "error_name", "lag") == [(3, 42, "ILLEGAL_GENERATION", None)]


def test_committed_offsets() -> None:
    """OffsetFetch v1; without a commit the offset is -1."""
    request = text("billing") + one_topic(struct.pack(">i", 0), struct.pack(">i", 1))
    response = one_topic(
        struct.pack(">iq", 0, 42) + text("") + struct.pack(">h", 0),
        struct.pack(">iq", 1, -1) + text("") + struct.pack(">h", 0),
    )
    assert told(rows(9, 1, request, response), "offset", "error_code", "error_name") == [
        (0, 42, 0, None),
        (1, -1, 0, None),
    ]


def test_the_first_of_the_offsets_that_old_brokers_list() -> None:
    """ListOffsets v0 has an array of them."""
    request = struct.pack(">i", -1) + one_topic(struct.pack(">iqi", 0, -1, 2))
    response = one_topic(struct.pack(">ihiqq", 0, 0, 2, 77, 50))
    assert told(rows(2, 0, request, response), "offset") == [(0, 77)]


def test_of_a_call_without_answer_the_request_tells() -> None:
    request = struct.pack(">i", -1) + one_topic(struct.pack(">iq", 4, -1))
    assert told(rows(2, 1, request, None), "offset", "error_code") == [(4, None, None)]


def test_other_calls_tell_of_no_partition() -> None:
    assert rows(12, 0, text("billing") + struct.pack(">i", 1) + text("m-1"), struct.pack(">h", 0)) == []


@pytest.mark.parametrize(
    ("columns", "apis"),
    [
        (None, {0, 1, 2, 8, 9}),
        (["topic", "lag"], {1}),
        (["topic", "lag", "offset"], {0, 1, 2, 8, 9}),
        (["topic"], {0, 1, 2, 8, 9}),
    ],
)
def test_only_fetch_calls_tell_of_lag(columns: list[str] | None, apis: set[int]) -> None:
    assert apis_telling(columns) == apis
