from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.contents import Contents
from kafkasniff.protocol.primitives import RecordsField
from kafkasniff.protocol.records.batches import Batch
from tests.diagnose.made import arrival, call, connection, finding, findings

RULE = "restart-at-same-offset"


def start(
    index: int, committed: int = 5, offset: int | None = 5, joins: bool = True, client_id: str = "shop"
) -> list[Call]:
    """A consumer that joins, learns its offset, and fetches records from there; None for no fetch."""
    at, on = index * 10.0, connection(50_000 + index)
    more: dict[str, Any] = {"on": on, "client_id": client_id}
    told = [{"name": "users", "partitions": [{"partitionIndex": 0, "committedOffset": committed}]}]
    calls = [call(11, 5, {"groupId": "g"}, {"errorCode": 0}, at=at, **more)] if joins else []
    calls.append(call(9, 5, {"groupId": "g", "topics": []}, {"topics": told}, at=at + 1, **more))
    if offset is not None:
        request = {"topics": [{"topic": "users", "partitions": [{"partition": 0, "fetchOffset": offset}]}]}
        answer = {"responses": [{"topic": "users", "partitions": [{"partitionIndex": 0}]}]}
        fetched = call(1, 11, request, answer, at=at + 2, **more)
        assert fetched._response_body is not None
        fetched._response_body.records = [RecordsField("responses[0].partitions[0].records", 0, 100)]
        calls.append(fetched)
    return calls


def starts(count: int, **more: Any) -> list[Call]:
    return [each for index in range(count) for each in start(index, **more)]


def test_a_consumer_that_dies_at_the_same_record() -> None:
    assert findings(RULE, starts(2)) == []
    found = finding(RULE, starts(3))
    assert found.subject.items() >= {"clientId": "shop", "group": "g", "topic": "users", "partition": 0}.items()
    assert "read users-0 from offset 5 each time; committed is 5" in found.summary
    assert "nothing is committed" in finding(RULE, starts(3, committed=-1, offset=0)).summary


def test_consumers_that_get_further() -> None:
    assert findings(RULE, start(0) + start(1) + start(2, committed=6, offset=6)) == []
    assert findings(RULE, start(0, -1, 3) + start(1, -1, 4) + start(2, -1, 5)) == []


def test_consumers_that_have_nothing_to_read() -> None:
    idle = starts(9)
    for each in idle:
        if each.api_key == 1:
            assert each._response_body is not None
            each._response_body.records = []
    assert findings(RULE, idle) == []


def test_a_consumer_without_an_offset_to_begin_at() -> None:
    found = finding(RULE, starts(3, committed=-1, offset=None))
    assert "fetched nothing" in found.summary
    assert found.fix.startswith("Let it begin at the earliest or the latest record (auto.offset.reset)")
    assert findings(RULE, starts(3, committed=4, offset=None)) == []
    assert findings(RULE, starts(9, committed=-1, offset=None, joins=False)) == []  # A tool that describes the group.


def test_other_client_ids_are_other_programs() -> None:
    assert findings(RULE, start(0, client_id="a") + start(1, client_id="b") + start(2, client_id="c")) == []


def test_each_start_of_kafka_streams_has_a_uuid_of_its_own() -> None:
    """Unless its state directory is kept; two that live side by side take partitions over from each other."""
    client_ids = [f"etl-0f9f4bde-bc36-4c9e-8fd1-8d7b0a6f21c{index}-StreamThread-1-consumer" for index in range(3)]
    calls = [start(index, client_id=client_id) for index, client_id in enumerate(client_ids)]
    assert findings(RULE, [each for some in calls for each in some]) == []
    for some in calls:
        some[-1].connection.first_fin = arrival(0)
    found = finding(RULE, [each for some in calls for each in some])
    assert found.subject.items() >= {"clientId": client_ids, "group": "g"}.items()
    assert "Consumers etl-StreamThread-1-consumer of group g started 3 times" in found.summary


def again(at: int, base: int = 7, offset: int | None = 7, size: int = 100) -> Call:
    """A running consumer fetches the records of a batch; in a session the offset may go without saying (KIP-227)."""
    partitions = [] if offset is None else [{"partition": 0, "fetchOffset": offset}]
    path, partition = "responses[0].partitions[0].records", {"partitionIndex": 0, "errorCode": 0, "highWatermark": 9}
    answer = {"responses": [{"topic": "users", "partitions": [{**partition, "records": bytes(size)}]}]}
    fetched = call(1, 11, {"topics": [{"topic": "users", "partitions": partitions}]}, answer, at=at)
    assert fetched._response_body is not None
    fetched._response_body.records = [RecordsField(path, 0, size)]
    header = (base, 90, 0, 2, 0, 0, 0, 0, 0, -1, -1, -1, 1)
    fetched._contents = Contents(batches=[("response", path, Batch(header, 0, size, True))])
    return fetched


def test_a_running_consumer_that_gets_no_further() -> None:
    """As with kafkajs, whose eachMessage fails, or with Spring, which seeks back to the record."""
    joins = call(11, 5, {"groupId": "g", "memberId": "m-1"}, {"errorCode": 0})
    # The first shows a size, and the second an offset.
    assert findings(RULE, [joins, *map(again, range(5))]) == []
    found = finding(RULE, [joins, *map(again, range(6))])
    assert (found.severity, found.count, found.subject["partition"]) == ("warning", 4, 0)
    assert "fetched users-0 from offset 7 again and again, for 3.0 s" in found.summary
    assert "goes back to it" in found.cause
    assert len(findings(RULE, [joins, again(0), again(1), *(again(at, offset=None) for at in range(2, 6))])) == 1
    assert findings(RULE, [joins, *(again(at, base=at, offset=at) for at in range(9))]) == []
    assert findings(RULE, [joins, *(again(at, offset=7 + at) for at in range(9))]) == []  # Further within a batch.
    assert findings(RULE, [joins, *(again(at, size=100 + at) for at in range(9))]) == []
    assert findings(RULE, [again(at) for at in range(9)]) == []  # Of no group: a tool that reads from the beginning.
