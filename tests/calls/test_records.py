import gzip
import struct
from base64 import b64encode
from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.context import Context
from kafkasniff.calls.spending import RECORDS_REACHED, Spending
from tests.calls.hand_made import changed
from tests.protocol.records.made_batches import batch, record, simple_batch
from tests.render.made_calls import made_call, request_bytes, text

OFFSETS_KEY = b"\0\1" + text("billing") + text("orders") + struct.pack(">i", 3)
"""OffsetCommitKey: record type 1, group, topic, partition."""
OFFSETS_VALUE = struct.pack(">hq", 1, 42) + text("") + struct.pack(">qq", 1, 2)
"""OffsetCommitValue: version 1, offset, metadata, two times."""


def produce(*batches: bytes, topic: str = "orders", context: Context | None = None) -> Call:
    """Produce v3 to partition 0."""
    data = b"".join(batches)
    body = text(None) + struct.pack(">hii", -1, 1000, 1) + text(topic) + struct.pack(">iii", 1, 0, len(data)) + data
    call = made_call(request_bytes(0, 3, 1, "shop", body), None, outcome="unanswered")
    call.context = context or Context(records=True)
    return call


def test_records_stand_in_their_batch() -> None:
    call = produce(simple_batch(2), batch(record(0, b"\xff", None, [(b"trace", b"1")]), 1))
    first, second = call.batches
    assert [item["value"] for item in first["records"]] == ["value 0", "value 1"]
    [item] = second["records"]
    assert item["keyBase64"] == b64encode(b"\xff").decode()
    assert item["value"] is None
    assert list(item["headers"]) == [{"key": "trace", "value": "1"}]
    assert call.decoded == []
    assert call.problems == []


def test_records_are_read_on_demand_only() -> None:
    [item] = produce(simple_batch(2), context=Context()).batches
    assert item["recordCount"] == 2
    assert "records" not in item


def test_values_are_cut_where_a_limit_is_set() -> None:
    call = produce(simple_batch(1), context=Context(records=True, limit_value=3))
    [item] = call.batches[0]["records"]
    assert (item["value"], item["valueSizeInBytes"]) == ("val", 7)


def test_records_of_internal_topics_are_decoded() -> None:
    call = produce(simple_batch(0), batch(record(0, OFFSETS_KEY, OFFSETS_VALUE), 1), topic="__consumer_offsets")
    path = "topicData[0].partitionData[0].records[1].records[0]"
    key = {"group": "billing", "topic": "orders", "partition": 3}
    value = {"offset": 42, "metadata": "", "commitTimestamp": 1, "expireTimestamp": 2}
    assert call.decoded == [
        {"where": "request", "path": f"{path}.key", "type": "OffsetCommitKey", "version": 0, "value": key},
        {"where": "request", "path": f"{path}.value", "type": "OffsetCommitValue", "version": 1, "value": value},
    ]
    assert call.problems == []


def test_a_limit_on_values_does_not_keep_records_from_being_decoded() -> None:
    context = Context(records=True, limit_value=2)
    call = produce(batch(record(0, OFFSETS_KEY, OFFSETS_VALUE), 1), topic="__consumer_offsets", context=context)
    assert [entry["type"] for entry in call.decoded] == ["OffsetCommitKey", "OffsetCommitValue"]
    assert call.batches[0]["records"][0]["keySizeInBytes"] == len(OFFSETS_KEY)


def test_what_is_wrong_with_a_record_is_said_with_its_path() -> None:
    call = produce(batch(record(0, OFFSETS_KEY, OFFSETS_VALUE[:5]), 1), topic="__consumer_offsets")
    assert call.decoded[1]["value"] is None
    [problem] = call.problems
    assert problem.path == "topicData[0].partitionData[0].records[0].records[0].value"
    assert problem.offset is None


def scram_record(extra: bytes = b"") -> bytes:
    """UserScramCredentialRecord v0 in its frame: name, mechanism, salt, stored key, server key, iterations."""
    compact = [bytes([len(part) + 1]) + part for part in (b"alice", b"the salt", b"stored secret", b"server secret")]
    return b"\1\x0b\0" + compact[0] + b"\1" + b"".join(compact[1:]) + struct.pack(">i", 4096) + b"\0" + extra


def test_secrets_in_the_metadata_log_are_replaced_in_the_bytes_too() -> None:
    call = produce(batch(record(0, None, scram_record()), 1), topic="__cluster_metadata")
    [entry] = call.decoded
    assert entry["value"] == {
        "name": "alice",
        "mechanism": 1,
        "salt": "***",
        "storedKey": "***",
        "serverKey": "***",
        "iterations": 4096,
    }
    [item] = call.batches[0]["records"]
    assert item["value"] == "***"
    assert "valueBase64" not in item
    shown = produce(batch(record(0, None, scram_record()), 1), topic="__cluster_metadata")
    shown.show_secrets = True
    assert shown.decoded[0]["value"]["storedKey"] == b64encode(b"stored secret").decode()
    assert shown.batches[0]["records"][0]["valueBase64"] == b64encode(scram_record()).decode()


def test_bytes_of_the_metadata_log_that_do_not_decode_may_be_secret() -> None:
    call = produce(batch(record(0, None, scram_record()[:-6]), 1), topic="__cluster_metadata")
    assert call.batches[0]["records"][0]["value"] == "***"
    assert "secret" not in str(call.decoded).replace("***", "")


def test_secrets_inside_a_config_are_replaced_in_the_bytes_too() -> None:
    """ConfigRecord v0 in its frame: type 2 and name of the resource, name, value."""
    parts = [b"orders", b"connection.url", b"jdbc:x://kafka:hunter2@db/x"]
    value = b"\1\x04\0\x02" + b"".join(bytes([len(part) + 1]) + part for part in parts) + b"\0"
    call = produce(batch(record(0, None, value), 1), topic="__cluster_metadata")
    assert call.decoded[0]["value"]["value"] == "jdbc:x://kafka:***@db/x"
    assert call.batches[0]["records"][0]["value"] == "***"
    assert "valueBase64" not in call.batches[0]["records"][0]


def test_the_records_of_one_message_have_a_limit() -> None:
    context = Context(records=True, records_limit=1100)
    call = produce(simple_batch(1), simple_batch(1), simple_batch(1), context=context)
    assert [len(item["records"]) for item in call.batches] == [1, 1, 0]
    [problem] = call.problems
    assert problem.path == "topicData[0].partitionData[0].records[2].records[0]"
    assert "too much memory" in problem.message


def test_the_records_of_a_run_have_a_limit() -> None:
    context = Context(records=True, spending=Spending(1000))
    zeros = batch(gzip.compress(record(0, None, bytes(1_000_000))), 1, attributes=1)
    call = produce(simple_batch(1), zeros, simple_batch(1), simple_batch(1), context=context)
    assert [len(item["records"]) for item in call.batches] == [1, 1, 0, 0]
    assert [item["recordCount"] for item in call.batches] == [1, 1, 1, 1]
    [problem] = call.problems
    assert (problem.path, problem.message) == ("topicData[0].partitionData[0].records[2]", RECORDS_REACHED)
    assert len(produce(simple_batch(1), context=context).problems) == 1


def test_a_topic_known_by_its_id_is_opened_by_its_name() -> None:
    context = Context(records=True)
    topic_id = bytes(range(16))
    data = batch(record(0, OFFSETS_KEY, OFFSETS_VALUE), 1)
    size = len(data) + 1
    body: Any = b"\0" + struct.pack(">hi", -1, 1000) + b"\2" + topic_id + b"\2" + struct.pack(">i", 0)
    body += bytes([size & 127 | 128, size >> 7]) + data + b"\0\0\0"
    request = struct.pack(">hhi", 0, 13, 1) + text("shop") + b"\0" + body
    call = made_call(request, None, outcome="unanswered")
    call.context = context
    assert (call.decoded, call.topics) == ([], {})
    call = changed(call, context=context)
    context.topics.add("AAECAwQFBgcICQoLDA0ODw", "__consumer_offsets")
    assert [entry["type"] for entry in call.decoded] == ["OffsetCommitKey", "OffsetCommitValue"]
    assert call.topics == {"AAECAwQFBgcICQoLDA0ODw": "__consumer_offsets"}
