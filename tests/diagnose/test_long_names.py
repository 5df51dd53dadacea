"""Names of 32 kB, thousands of which a small compressed capture may hold: what is remembered of each is bounded."""

import gc
from collections.abc import Iterator
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import pytest

from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.diagnose.timeline import Timeline
from kafkasniff.reading import Reading
from tools.hostile.wire import Connection, body, call, request, response, write_pcap

CODE = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)
MOST = 1_000
"""Characters of the longest text that may be remembered."""


def calls(kind: str, name: str, at: int) -> list[tuple[bytes, bytes]]:
    """Calls that hold `name` wherever messages of a kind may hold one."""
    if kind == "group":
        joined = {"generationId": at, "protocolName": name, "leader": name, "memberId": name, "members": []}
        asked = {"groupId": name, "memberId": "", "protocolType": name, "protocols": []}
        return [
            call(11, 5, at, asked | {"groupInstanceId": name, "sessionTimeoutMs": 1, "rebalanceTimeoutMs": 1}, joined),
            call(11, 5, at + 1, asked, joined | {"errorCode": 82}),
            call(11, 5, at + 2, asked, joined | {"errorCode": 23}),
            call(12, 3, at + 3, {"groupId": name, "memberId": name}, {"errorCode": 27}),
            call(12, 3, at + 4, {"groupId": name, "memberId": name}, {"errorCode": 25}),
            call(13, 5, at + 5, {"groupId": name, "members": [{"memberId": name, "reason": "poll timeout"}]}, {}),
            call(13, 5, at + 6, {"groupId": name, "members": [{"memberId": name, "reason": name}]}, {}),
            call(10, 1, at + 7, {"key": name, "keyType": 0}, {"nodeId": at, "host": name, "errorMessage": name}),
            call(68, 0, at + 8, {"groupId": name, "memberId": name}, {"memberId": name, "memberEpoch": at}),
        ]
    if kind == "topic":
        topic_id = at.to_bytes(16, "big")
        partition = {"partitionIndex": 0, "replicaNodes": [at] * 1_000}
        told = {"name": name, "topicId": topic_id, "partitions": [partition]}
        broker = {"nodeId": at, "host": name, "port": at, "rack": name}
        fetched = {"topic": name, "partitions": [{"partition": 0, "fetchOffset": 1}]}
        given = {"partitionIndex": 0, "errorCode": 1, "lastStableOffset": 1, "highWatermark": 2}
        answered = {"sessionId": at, "responses": [{"topic": name, "partitions": [given]}]}
        return [
            call(3, 12, at, {"topics": [{"name": name}]}, {"brokers": [broker], "topics": [told], "clusterId": name}),
            call(3, 12, at + 1, {"topics": [{"name": name}]}, {"topics": [told | {"errorCode": 3}]}),
            call(3, 12, at + 2, {"topics": [{"name": name}]}, {"topics": [told | {"errorCode": 17}]}),
            call(1, 11, at + 3, {"topics": [fetched], "rackId": name}, answered),
            call(22, 1, at + 4, {"transactionalId": name, "transactionTimeoutMs": 1}, {"errorCode": 51}),
            call(26, 1, at + 5, {"transactionalId": name, "producerId": at}, {"errorCode": 47}),
            call(24, 1, at + 6, {"v3AndBelowTransactionalId": name, "v3AndBelowTopics": [{"name": name}]}, {}),
        ]
    refused = body(3, 1, "response", {"topics": [{"errorCode": 17, "name": "t", "partitions": []}]})
    named = request(3, 1, at, body(3, 1, "request", {"topics": [{"name": "t"}]}), name)
    return [
        call(18, 3, at + 1, {"clientSoftwareName": name, "clientSoftwareVersion": name}, {}),
        (named, response(3, 1, at, refused)),
        call(17, 1, at + 2, {"mechanism": name}, {"errorCode": 33, "mechanisms": [name, name]}),
        call(17, 1, at + 3, {"mechanism": name}, {"errorCode": 33, "mechanisms": [name, name]}),
        call(17, 1, at + 4, {"mechanism": name}, {"errorCode": 33, "mechanisms": [name, name]}),
    ]


def capture(folder: Path, kind: str, names: range) -> str:
    """A capture with a connection for each of some names."""

    def packets() -> Iterator[bytes]:
        for number in names:
            connection = Connection(number)
            yield from connection.open()
            yield from connection.calls(*calls(kind, f"{number:08}" + "n" * 31_990, 10 * number + 1))
        # The latest Metadata answer is kept, whatever it holds.
        yield from connection.calls(call(3, 12, 10 * names.stop, {}, {}))

    path = folder / f"{kind}-{names.start}.pcap"
    write_pcap(path, packets())
    return str(path)


def longest(root: object) -> int:
    """Characters of the longest text that can be reached, code left out."""
    seen: set[int] = set()
    waiting = [root]
    most = 0
    while waiting:
        each = waiting.pop()
        if id(each) not in seen and not isinstance(each, CODE):
            seen.add(id(each))
            if isinstance(each, str | bytes):
                most = max(most, len(each))
            waiting += gc.get_referents(each)
    return most


@pytest.mark.parametrize("kind", ["group", "topic", "client"])
def test_no_long_text_is_remembered(kind: str, tmp_path: Path) -> None:
    first = {rule.id: {each.name: 1 for each in rule.thresholds if each.name == "calls"} for rule in RULES}
    diagnosis = Diagnosis(settings=first)
    count = 0
    for item in Reading([capture(tmp_path, kind, range(2, 22))], connections=True):
        count += 1
        diagnosis.feed(item)
        del item
    assert count > 60
    assert longest(diagnosis) <= MOST
    found: Any = diagnosis.findings()
    assert longest(found) <= 5 * MOST  # sentences and subjects that hold some of the names
    assert len(found) >= 20
    assert max(len(value) for each in found for value in each.subject.values() if isinstance(value, str)) == 255


def test_no_long_text_is_kept_of_a_timeline(tmp_path: Path) -> None:
    path = capture(tmp_path, "group", range(2, 12))
    timeline = Timeline("client", "c")
    for item in Reading([path], connections=True):
        timeline.feed(item)
        del item
    assert len(timeline.rows) > 50
    assert longest(timeline) <= MOST
