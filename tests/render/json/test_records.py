"""Records in the lines of Produce calls, against what they were made of, and against what their objects give."""

import json
import random
import struct
import zlib
from base64 import b64encode
from typing import Any

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.context import Context
from kafkasniff.calls.spending import Spending
from kafkasniff.render.json.lines import JsonLines
from tests.protocol.records.made_batches import BASE_TIMESTAMP, batch, record
from tests.render.made_calls import made_call, request_bytes, text

GZIP, LOG_APPEND_TIME, CONTROL = 1, 8, 32


def produce_call(records: bytes, topic: str = "orders", **context: Any) -> Call:
    body = text(None) + struct.pack(">hii", 1, 1000, 1) + text(topic) + struct.pack(">iii", 1, 0, len(records))
    call = made_call(request_bytes(0, 3, 1, "shop", body + records), None, outcome="unanswered")
    call.context = Context(records=True, **context)
    return call


def shown(records: bytes, **options: Any) -> list[list[dict[str, Any]]]:
    item = json.loads(JsonLines().line(produce_call(records, **options)))
    assert "problems" not in item
    return [each["records"] for each in item["batches"]]


def test_keys_values_and_headers() -> None:
    first = record(0, b"k", 'é "\\\n\t'.encode(), [(b"trace", b"\0"), (b"none", None)], 5)
    second = record(300, None, None, timestamp_delta=-(1 << 40))
    ((one, two),) = shown(batch(first + second, 2, base_offset=1 << 40))
    assert one == {
        "offset": 1 << 40,
        "timestamp": BASE_TIMESTAMP + 5,
        "key": "k",
        "value": 'é "\\\n\t',
        "headers": [{"key": "trace", "valueBase64": "AA=="}, {"key": "none", "value": None}],
    }
    assert two["offset"] == (1 << 40) + 300
    assert two["timestamp"] == BASE_TIMESTAMP - (1 << 40)
    assert [two[name] for name in ("key", "value", "headers")] == [None, None, []]


@pytest.mark.parametrize(
    "raw", [b"\x1b[0m", b"a\x7f", b"\xff", "a\x85".encode(), b"\xc3", b"x" * 20 + b"\x01", b"\xed\xa0\x80"]
)
def test_what_is_no_text_is_base64(raw: bytes) -> None:
    ((one,),) = shown(batch(record(0, raw, raw), 1))
    assert (one["keyBase64"], one["valueBase64"]) == (b64encode(raw).decode(),) * 2


@pytest.mark.parametrize("length", range(20))
def test_texts_of_any_length(length: int) -> None:
    plain = "abcdefghijklmnopqrst"[:length]
    for value in (plain, plain + '"', "\\" + plain, plain + "☃"):
        assert shown(batch(record(0, None, value.encode()), 1))[0][0]["value"] == value


def test_schema_ids() -> None:
    ((one,),) = shown(batch(record(0, b"\0\0\0\1\2k", b"\0\0\0\0\7" + b"v" * 200), 1))
    assert (one["keySchemaId"], one["schemaId"]) == (258, 7)
    assert list(one)[-2:] == ["keySchemaId", "schemaId"]
    assert "schemaId" not in shown(batch(record(0, None, b"\0\0\0\1\2"), 1))[0][0]


def test_stamps_of_brokers_and_compression() -> None:
    packed = zlib.compress(record(0, None, b"v", timestamp_delta=9), wbits=31)
    ((one,),) = shown(batch(packed, 1, attributes=GZIP | LOG_APPEND_TIME, max_timestamp=77))
    assert (one["timestamp"], one["value"]) == (77, "v")


def test_several_batches() -> None:
    pair = batch(record(0, None, b"a"), 1) + batch(record(0, None, b"b"), 1)
    assert [records[0]["value"] for records in shown(pair)] == ["a", "b"]


def test_what_is_rare_gives_what_the_objects_of_records_give() -> None:
    one, damaged = record(0, b"k", b"v", [(b"h", b"x")]), bytearray(record(0, b"k", b"v"))
    damaged[-1] = 2
    random.seed(17)
    cases = [
        batch(one, 2),
        batch(one + b"\0", 1),
        batch(one, -1),
        batch(one, 1, base_offset=-(1 << 63)),
        batch(one, 1, base_timestamp=(1 << 63) - 1),
        batch(bytes(damaged), 1),
        batch(record(0, b"\0\1\0\0", b"\0\0\0\0\0\1"), 1, attributes=CONTROL),
        batch(zlib.compress(one, wbits=31)[:-9], 1, attributes=GZIP),
        *(batch(random.randbytes(random.randrange(40)), random.randrange(4)) for _ in range(300)),
    ]
    for _ in range(300):
        spoilt = bytearray(one * 2)
        spoilt[random.randrange(len(spoilt))] = random.randrange(256)
        cases.append(batch(bytes(spoilt), 2))
    for records in cases:
        line = json.loads(JsonLines().line(produce_call(records)))
        call = produce_call(records)
        assert line["batches"] == json.loads(json.dumps(call.batches))
        assert [each["message"] for each in line.get("problems", ())] == [each.message for each in call.problems]


def test_limits_and_internal_topics_are_those_of_the_objects() -> None:
    records = batch(record(0, b"\0\1\0\1g\0\1t\0\0\0\0", b"secret"), 1)
    for options in ({"limit_value": 2}, {"records_limit": 600}, {"topic": "__consumer_offsets"}):
        line = json.loads(JsonLines().line(produce_call(records, **options)))
        assert line["batches"] == json.loads(json.dumps(produce_call(records, **options).batches))
    assert (
        json.loads(JsonLines().line(produce_call(records, limit_value=2)))["batches"][0]["records"][0]["value"] == "se"
    )


def test_what_a_run_may_show_is_counted_once() -> None:
    records = batch(record(0, None, b"v" * 1000), 1)
    spending, lines = Spending(0), JsonLines()
    found = [json.loads(lines.line(produce_call(records, spending=spending))) for _ in range(3)]
    assert not any("problems" in each for each in found)
    # 256 bytes for each captured; what is shown counts as 512 for the record, and four times its bytes.
    assert spending.records.left == 3 * (256 * len(records) - 512 - 4 * len(record(0, None, b"v" * 1000)))
    lines.line(produce_call(batch(b"\0", 1), spending=spending))
    assert spending.records.left > 0
