from kafkasniff.calls.call import Call
from tests.diagnose.made import call, finding, findings


def send(at: float) -> Call:
    request = {"transactionalId": "tx", "topicData": [{"name": "orders", "partitionData": []}]}
    return call(0, 3, request, {"responses": []}, at=at, client_id="writer")


def end(at: float) -> Call:
    return call(26, 1, {"transactionalId": "tx", "producerId": 7}, {"errorCode": 0}, at=at, client_id="writer")


def read(at: float, stable: int, high: int) -> Call:
    partition = {"partitionIndex": 0, "errorCode": 0, "highWatermark": high, "lastStableOffset": stable}
    response = {"errorCode": 0, "responses": [{"topic": "orders", "partitions": [partition]}]}
    return call(1, 11, {"topics": []}, response, at=at, took=0)


def hang(seconds: int, *producer: Call) -> list[Call]:
    return [*producer, *(read(1 + at, 10, 11 + at) for at in range(seconds + 1))]


def test_hanging_transaction() -> None:
    assert findings("hanging-transaction", hang(5, send(0))) == []
    found = finding("hanging-transaction", hang(6, send(0)))
    assert found.subject["transactionalId"] == "tx"
    assert (found.subject["clientId"], found.subject["topic"], found.subject["partition"]) == ("writer", "orders", 0)


def test_a_producer_that_goes_on_is_not_hanging() -> None:
    calls = sorted([*hang(30, send(0)), *(send(at + 0.5) for at in range(30))], key=lambda each: each.ended.time)
    assert findings("hanging-transaction", calls) == []


def test_a_moving_stable_offset_is_healthy() -> None:
    assert findings("hanging-transaction", [send(0), *(read(at, 10 + at, 12 + at) for at in range(60))]) == []


def test_without_its_producer_the_default_timeout_counts() -> None:
    assert findings("hanging-transaction", hang(59)) == []
    assert finding("hanging-transaction", hang(60)).subject == {"topic": "orders", "partition": 0}
    assert findings("hanging-transaction", hang(59, send(0), end(0.5))) == []
