"""Attributes of batches by Kafka's protocol guide: codec 4 is zstd, 1 gzip."""

from typing import Any

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.contents import Contents
from kafkasniff.protocol.primitives import RecordsField
from kafkasniff.protocol.records.batches import Batch
from tests.diagnose.made import call, connection, finding, findings

COMPRESSION, CONVERSION = "unreadable-compression", "message-down-conversion"
PATH = "responses[0].partitions[0].records"


def fetched(
    at: float, version: int, offset: int = 0, codec: int = 4, magic: int = 2, code: int = 0, **more: Any
) -> Call:
    request = {"topics": [{"topic": "orders", "partitions": [{"partition": 0, "fetchOffset": offset}]}]}
    partition = {"partitionIndex": 0, "errorCode": code, "highWatermark": 9, "records": b"" if code else bytes(100)}
    answer = {"responses": [{"topic": "orders", "partitions": [partition]}]}
    made = call(1, version, request, answer, at=at, **more)
    assert made._response_body is not None
    if not code:
        made._response_body.records = [RecordsField(PATH, 0, 100)]
        header = (0, 90, 0, magic, 0, codec, 0, 0, 0, -1, -1, -1, 1)
        made._contents = Contents(batches=[("response", PATH, Batch(header, 0, 100, True))])
    return made


def heartbeat(until: float) -> Call:
    """The first on a connection that is in use until then."""
    return call(12, 3, {"groupId": "g"}, {"errorCode": 0}, on=connection(50_001, end=until))


def test_zstd_that_a_consumer_stops_at() -> None:
    assert findings(COMPRESSION, [fetched(0, 9), heartbeat(4.9)]) == []
    found = finding(COMPRESSION, [fetched(0, 9), heartbeat(5.1)])
    assert (found.subject["clientId"], found.subject["topic"]) == ("shop", "orders")
    assert findings(COMPRESSION, [fetched(0, 10), heartbeat(9)]) == []
    assert findings(COMPRESSION, [fetched(0, 9, codec=1), heartbeat(9)]) == []


def test_a_consumer_that_reads_on() -> None:
    assert findings(COMPRESSION, [fetched(0, 9), fetched(1, 9, offset=1), heartbeat(9)]) == []
    assert finding(COMPRESSION, [fetched(0, 9), fetched(1, 9, offset=0), heartbeat(9)]).count == 1


def test_zstd_that_the_broker_refuses() -> None:
    assert finding(COMPRESSION, [fetched(0, 9, code=76)]).count == 1
    assert findings(COMPRESSION, [call(0, 6, {}, {"errorCode": 76})]) == []


@pytest.mark.parametrize(("codec", "found"), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 1)])
def test_codecs_that_kafkajs_lacks(codec: int, found: int) -> None:
    """It leaves its group, on the connection of its coordinator, as soon as it cannot read a batch."""
    on = connection(50_001)
    begun = [call(18, 2, {}, {"apiKeys": []}, on=on), call(3, 6, {"topics": []}, {"brokers": [], "topics": []}, on=on)]
    joins = call(11, 5, {"groupId": "g"}, {"errorCode": 0}, at=1, on=on)

    def left(at: float) -> Call:
        return call(13, 3, {"groupId": "g"}, {"errorCode": 0}, at=at, on=on)

    calls = [*begun, joins, fetched(2, 11, codec=codec)]
    assert len(findings(COMPRESSION, [*calls, left(4)])) == found
    assert findings(COMPRESSION, [*calls, left(4.1)]) == []
    assert findings(COMPRESSION, [*calls, fetched(3.1, 11, offset=1, codec=codec), left(4)]) == []
    assert findings(COMPRESSION, [*calls, call(8, 5, {}, {"topics": []}, at=3, on=on), left(4)]) == []
    assert findings(COMPRESSION, [*calls[1:], left(4)]) == []  # Another library.


def produced(at: float = 0, version: int = 7) -> Call:
    request = {"acks": 1, "topicData": [{"name": "orders"}]}
    return call(0, version, request, {"responses": []}, at=at, client_id="writer")


def test_records_that_are_converted() -> None:
    old = [fetched(at, 3, codec=0, magic=1) for at in range(10)]
    assert findings(CONVERSION, [produced(), *old[:9]]) == []
    found = finding(CONVERSION, [produced(), *old])
    assert (found.subject["clientId"], found.subject["topic"], found.count) == ("shop", "orders", 10)
    assert finding(CONVERSION, [fetched(0, 4, codec=0, client_id="new"), *old]).count == 10


def test_topics_whose_batches_are_old() -> None:
    old = [fetched(at, 3, codec=0, magic=1) for at in range(20)]
    assert findings(CONVERSION, [produced(version=2), *old]) == []
    assert findings(CONVERSION, [produced(), *(fetched(at, 4, codec=0, magic=1) for at in range(20))]) == []
