"""Calls of the kinds that several families of rules look at."""

import struct
from collections.abc import Callable
from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.protocol.primitives import RecordsField
from kafkasniff.tcp.events import Endpoint
from tests.diagnose.made import call, connection, report

HEARTBEAT = {"groupId": "billing", "generationId": 1, "memberId": "m-1"}

ALIVE = {"errorCode": 0}


def lived(count: int, seconds: float, every: float = 0.4, ended_by: str = "fin", **more: Any) -> list[Any]:
    """Connections that live so long; `client_id` may have a place for their number, `servers` are taken in turn."""
    items: list[Call | ConnectionReport] = []
    client_id, servers = more.pop("client_id", "shop"), more.pop("servers", 1)
    for index in range(count):
        server = Endpoint(f"10.0.0.{2 + index % servers}", 9092)
        on = connection(50_000 + index, begin=index * every, end=index * every + seconds, server=server)
        if client_id is not None:
            name = client_id.format(index)
            items.append(call(12, 0, HEARTBEAT, ALIVE, at=index * every, on=on, client_id=name))
        items.append(report(on, ended_by=ended_by, **more))
    return items


def leave(reason: str | None, at: float = 0) -> Call:
    request = {"groupId": "billing", "members": [{"memberId": "m-1", "groupInstanceId": None, "reason": reason}]}
    return call(13, 5, request, {"throttleTimeMs": 0, "errorCode": 0, "members": []}, at=at)


def join(
    at: float,
    generation: int,
    *,
    member: str = "m-1",
    took: float = 0.01,
    timeout_ms: int = 12_000,
    kind: str = "consumer",
    reason: str | None = None,
    **more: Any,
) -> Call:
    request = {
        "groupId": "billing",
        "sessionTimeoutMs": 10_000,
        "rebalanceTimeoutMs": timeout_ms,
        "memberId": member,
        "protocolType": kind,
        "protocols": [],
        "reason": reason,
    }
    response = {"throttleTimeMs": 0, "errorCode": 0, "generationId": generation, "memberId": member, "members": []}
    return call(11, 2, request, response, at=at, took=took, **more)


def heartbeat(at: float, code: int, *, member: str = "m-1", **more: Any) -> Call:
    request = {"groupId": "billing", "generationId": 1, "memberId": member}
    return call(12, 1, request, {"throttleTimeMs": 0, "errorCode": code}, at=at, **more)


CODECS = {"none": 0, "lz4": 3}


def batch(records: int, data: bytes, codec: str = "none", producer_id: int = -1, sequence: int = -1) -> bytes:
    """A batch of magic 2 (DefaultRecordBatch); its CRC is right for no data."""
    counts = (CODECS[codec], records - 1, 0, 0, producer_id, 0, sequence, records)
    return struct.pack(">qiibI", 0, 49 + len(data), 0, 2, 0) + struct.pack(">hiqqqhii", *counts) + data


def produce(
    at: float,
    acks: int = -1,
    records: int = 1,
    data: bytes = b"",
    code: int = 0,
    transaction: str | None = None,
    topic_id: str | None = None,
    **more: Any,
) -> Call:
    batches = {name: more.pop(name) for name in ("codec", "producer_id", "sequence") if name in more}
    content = batch(records, data, **batches)
    topic = {"name": "orders"} if topic_id is None else {"topicId": topic_id}
    topics = [{**topic, "partitionData": [{"index": 0, "records": content}]}]
    partition = {"index": 0, "errorCode": code, "baseOffset": 0, "logAppendTimeMs": -1}
    answer = {"responses": [{**topic, "partitionResponses": [partition]}], "throttleTimeMs": 0}
    request = {"transactionalId": transaction, "acks": acks, "timeoutMs": 1, "topicData": topics}
    made = call(0, 3 if topic_id is None else 13, request, answer if acks else None, at=at, **more)
    assert made.request is not None
    assert made._request_body is not None
    start = made.request.data.index(content)
    made._request_body.records = [RecordsField("topicData[0].partitionData[0].records", start, start + len(content))]
    return made


def answered_produce(code: int) -> Callable[[float], Call]:
    request = {
        "transactionalId": None,
        "acks": -1,
        "timeoutMs": 1,
        "topicData": [{"name": "orders", "partitionData": []}],
    }
    partition = {"index": 0, "errorCode": code, "baseOffset": -1, "logAppendTimeMs": -1}
    response = {"responses": [{"name": "orders", "partitionResponses": [partition]}], "throttleTimeMs": 0}
    return lambda at: call(0, 3, request, response, at=at)


def answered_metadata(code: int, name: str = "orders") -> Callable[[float], Call]:
    topic = {"errorCode": code, "name": name, "isInternal": False, "partitions": []}
    response = {"brokers": [], "controllerId": 1, "topics": [topic]}
    return lambda at: call(3, 1, {"topics": [{"name": name}]}, response, at=at)
