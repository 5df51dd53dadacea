import random
from typing import Any

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.protocol.primitives import RecordsField
from tests.diagnose.made import call, connection, finding, findings


class MadeProduce:
    """Produce requests whose batches are given instead of read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._batches: dict[int, list[dict[str, Any]]] = {}
        monkeypatch.setattr(Call, "batches", property(lambda made: self._batches.get(id(made), [])))

    def __call__(self, at: float, acks: int = -1, records: int = 1, data: bytes = b"", **more: Any) -> Call:
        batch = {
            "where": "request",
            "path": "topicData[0].partitionData[0].records",
            "recordCount": records,
            "compression": more.pop("compression", "none"),
            "crcValid": more.pop("crc_valid", True),
            "producerId": more.pop("producer_id", -1),
            "producerEpoch": 0,
            "baseSequence": more.pop("sequence", -1),
        }
        topics = [{"name": "orders", "partitionData": [{"index": 0, "recordsSizeInBytes": len(data)}]}]
        partition = {"index": 0, "errorCode": more.pop("code", 0), "baseOffset": 0, "logAppendTimeMs": -1}
        answer = {"responses": [{"name": "orders", "partitionResponses": [partition]}], "throttleTimeMs": 0}
        request = {"transactionalId": None, "acks": acks, "timeoutMs": 1, "topicData": topics}
        made = call(0, 3, request, answer if acks else None, at=at, **more)
        if data:
            assert made.request is not None
            assert made._request_body is not None
            made.request.data = data
            made._request_body.records = [RecordsField(str(batch["path"]), 0, len(data))]
        self._batches[id(made)] = [batch]
        return made


@pytest.fixture
def produce(monkeypatch: pytest.MonkeyPatch) -> MadeProduce:
    return MadeProduce(monkeypatch)


@pytest.mark.parametrize(("rule", "acks"), [("acks-zero", 0), ("acks-one", 1)])
def test_acks(rule: str, acks: int, produce: MadeProduce) -> None:
    assert findings(rule, [produce(0, acks=-1)]) == []
    found = finding(rule, [produce(0, acks=acks)])
    assert (found.severity, found.subject["topic"]) == ("info", "orders")


def test_tiny_batches(produce: MadeProduce) -> None:
    def stream(count: int, every: float, single: float = 1) -> list[Call]:
        return [produce(at * every, records=1 if at % 100 < single * 100 else 50) for at in range(count)]

    assert findings("tiny-batches", stream(99, every=0.02)) == []
    assert findings("tiny-batches", stream(200, every=0.03)) == []
    assert findings("tiny-batches", stream(200, every=0.02, single=0.89)) == []
    found = finding("tiny-batches", stream(100, every=0.02, single=0.9))
    assert found.count == 90


def test_uncompressed_batches(produce: MadeProduce) -> None:
    text = b'{"customer": "somebody", "amount": 12345}' * 250
    noise = random.Random(9).randbytes(len(text))
    assert findings("uncompressed-batches", [produce(at, records=50, data=text) for at in range(4)]) == []
    found = finding("uncompressed-batches", [produce(at, records=50, data=text) for at in range(5)])
    assert found.subject["topic"] == "orders"
    assert findings("uncompressed-batches", [produce(at, records=50, data=noise) for at in range(50)]) == []
    lz4 = [produce(at, records=50, data=text, compression="lz4") for at in range(50)]
    assert findings("uncompressed-batches", lz4) == []
    assert findings("uncompressed-batches", [produce(at, records=1, data=text) for at in range(50)]) == []


def serial(produce: MadeProduce, count: int, pause: float) -> list[Call]:
    """Each sent `pause` seconds after the last answer, answers taking 1 to 5 ms."""
    calls, now = [], 0.0
    for index in range(count):
        took = 0.001 * (1 + index % 5)
        calls.append(produce(now, took=took))
        now += took + pause
    return calls


def test_serial_sync_send(produce: MadeProduce) -> None:
    assert findings("serial-sync-send", serial(produce, 100, pause=0.001)) == []
    found = finding("serial-sync-send", serial(produce, 101, pause=0.001))
    assert found.count == 100
    assert findings("serial-sync-send", serial(produce, 300, pause=0.011)) == []


def test_a_fixed_rate_is_no_waiting(produce: MadeProduce) -> None:
    calls = [produce(at * 0.006, took=0.001 * (1 + at % 5)) for at in range(300)]
    assert findings("serial-sync-send", calls) == []


def test_several_in_flight_are_no_waiting(produce: MadeProduce) -> None:
    calls = [produce(at * 0.004, took=0.006) for at in range(300)]
    assert findings("serial-sync-send", calls) == []


def test_wrong_checksums_without_answers(produce: MadeProduce) -> None:
    def bad(count: int) -> list[Call]:
        return [produce(at, acks=0, crc_valid=False, outcome="no-response-expected") for at in range(count)]

    assert findings("crc-mismatch", bad(2)) == []
    assert finding("crc-mismatch", bad(3)).subject["topic"] == "orders"


def test_duplicate_sequence(produce: MadeProduce) -> None:
    def twice(count: int, code: int = 0, later: float = 0.5, producer_id: int = 7) -> list[Call]:
        calls = []
        for at in range(count):
            calls.append(produce(at, producer_id=producer_id, sequence=at, code=code, took=0.1))
            calls.append(produce(at + later, producer_id=producer_id, sequence=at, took=0.1))
        return calls

    assert findings("duplicate-sequence", twice(4)) == []
    found = finding("duplicate-sequence", twice(5))
    assert (found.count, found.subject["producerId"], found.subject["topic"]) == (5, 7, "orders")
    assert findings("duplicate-sequence", twice(9, code=19)) == []  # a retry after an error
    assert findings("duplicate-sequence", twice(9, later=0.05)) == []  # sent before the answer came
    assert findings("duplicate-sequence", twice(9, producer_id=-1)) == []


def test_connections_are_judged_apart(produce: MadeProduce) -> None:
    calls = serial(produce, 150, pause=0.001)
    for index, each in enumerate(calls):
        each.connection = ONE if index < 75 else OTHER
    assert findings("serial-sync-send", calls) == []


ONE, OTHER = connection(50_001), connection(50_002)
