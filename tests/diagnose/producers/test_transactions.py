from typing import Any

from kafkasniff.calls.call import Call
from tests.diagnose.made import call, connection, finding, findings


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
    assert finding("hanging-transaction", hang(60)).subject.items() >= {"topic": "orders", "partition": 0}.items()
    assert findings("hanging-transaction", hang(59, send(0), end(0.5))) == []


def begin(at: float, code: int, timeout: int = 60_000) -> Call:
    """InitProducerId."""
    answer = {"throttleTimeMs": 0, "errorCode": code, "producerId": 7, "producerEpoch": 0}
    return call(22, 1, {"transactionalId": "tx", "transactionTimeoutMs": timeout}, answer, at=at, client_id="writer")


def test_who_ends_its_transaction_in_time_was_not_hanging() -> None:
    """A program that commits every half minute, whatever comes in."""
    assert len(findings("hanging-transaction", hang(30, begin(-1, 0), send(0)))) == 1
    assert findings("hanging-transaction", [*hang(30, begin(-1, 0), send(0)), end(32), read(33, 50, 50)]) == []
    late = [*hang(30, begin(-1, 0, timeout=20_000), send(0)), end(32), read(33, 50, 50)]
    assert len(findings("hanging-transaction", late)) == 1


def test_another_producer_ends_what_the_first_left_open() -> None:
    assert len(findings("hanging-transaction", [*hang(30, send(0)), begin(32, 0), read(33, 50, 50)])) == 1


def test_concurrent_transactions_in_a_row() -> None:
    rule = "concurrent-transactions-spin"
    assert findings(rule, [begin(at, 51) for at in range(19)]) == []
    assert finding(rule, [begin(at, 51) for at in range(20)]).subject["transactionalId"] == "tx"


def test_leaders_that_verify_transactions_are_told_what_their_producers_are() -> None:
    def verifies(at: float) -> Call:
        request = {"transactions": [{"transactionalId": "tx", "verifyOnly": True, "topics": []}]}
        result = {"partitionIndex": 0, "partitionErrorCode": 51}
        topics = [{"name": "orders", "resultsByPartition": [result]}]
        answer = {"resultsByTransaction": [{"transactionalId": "tx", "topicResults": topics}]}
        return call(24, 5, request, answer, at=at, client_id="AddPartitionsManager-client-1")

    for rule in ("concurrent-transactions-spin", "unexplained-error"):
        assert findings(rule, [verifies(at / 10) for at in range(99)]) == []


def test_short_transactions_meet_the_end_of_the_last_now_and_then() -> None:
    """Java asks again after 20 ms, and has to once or twice for each transaction."""
    rule = "concurrent-transactions-spin"

    def each(refusals: int) -> list[Call]:
        codes = ([51] * refusals + [0]) * 30
        return [begin(at, code) for at, code in enumerate(codes)]

    assert findings(rule, each(refusals=3)) == []
    assert len(findings(rule, each(refusals=4))) == 1


def test_refusals_in_a_row_among_many_that_went_well() -> None:
    rule = "concurrent-transactions-spin"

    def rows(length: int) -> list[Call]:
        codes = ([51] * length + [0] * 9) * 4
        return [begin(at, code) for at, code in enumerate(codes)]

    assert findings(rule, rows(length=9)) == []
    assert finding(rule, rows(length=10)).count == 40


def fenced(count: int, together: bool, transactional_id: str | None = "tx") -> list[Call]:
    calls = []
    for at in range(count):
        request = {"transactionalId": transactional_id, "topicData": [{"name": "orders", "partitionData": []}]}
        partition = {"index": 0, "errorCode": 47, "baseOffset": -1}
        answer = {"responses": [{"name": "orders", "partitionResponses": [partition]}]}
        begun, took = (at / 1000, 1) if together else (at, 0.1)
        calls.append(call(0, 3, request, answer, at=begun, took=took))
    return calls


def test_requests_in_flight_are_fenced_once() -> None:
    once = finding("producer-fenced", fenced(5, together=True))
    assert (once.severity, once.count) == ("info", 1)
    again = finding("producer-fenced", fenced(2, together=False))
    assert (again.severity, again.subject["transactionalId"]) == ("error", "tx")


def test_the_transactional_id_of_older_versions_is_named() -> None:
    """AddPartitionsToTxn up to v3, as librdkafka sends it; Kafka's definition names the field otherwise."""
    result = {"name": "orders", "resultsByPartition": [{"partitionIndex": 0, "partitionErrorCode": 47}]}
    answer = {"resultsByTopicV3AndBelow": [result]}
    refused = [call(24, 3, {"v3AndBelowTransactionalId": "tx"}, answer, at=at) for at in (0, 1)]
    assert finding("producer-fenced", refused).subject["transactionalId"] == "tx"


def taken_over(client_id: str, port: int) -> list[Call]:
    """Another InitProducerId, and then EndTxn of the first producer with 48, twice (Kafka 4: KIP-890)."""
    first, second = connection(50_000), connection(port)
    mine: dict[str, Any] = {"client_id": "writer", "on": first}
    theirs: dict[str, Any] = {"client_id": client_id, "on": first if port == 50_000 else second}
    calls = []
    for at in (0, 10):
        calls += [
            call(22, 5, {"transactionalId": "tx"}, {"errorCode": 0}, at=at, **mine),
            call(22, 5, {"transactionalId": "tx"}, {"errorCode": 51}, at=at + 1, **theirs),
            call(26, 5, {"transactionalId": "tx", "producerId": 7}, {"errorCode": 48}, at=at + 2, **mine),
        ]
    return calls


def test_a_second_producer_ends_the_transaction_of_the_first() -> None:
    alone = taken_over("writer", 50_000)
    assert findings("producer-fenced", alone) == []
    assert "INVALID_TXN_STATE" in finding("unexplained-error", alone).summary
    for others in (taken_over("other", 50_001), taken_over("writer", 50_001)):
        found = finding("producer-fenced", others)
        assert (found.subject["transactionalId"], found.subject["clientId"]) == ("tx", "writer")


def test_a_second_producer_of_which_only_the_first_step_was_captured() -> None:
    """Bytes were lost: it asked for the coordinator, to begin with the same transactional id."""

    def asks(client_id: str, **request: Any) -> Call:
        version, on = 4 if "coordinatorKeys" in request else 3, connection(50_009)
        return call(10, version, request, {"errorCode": 0, "coordinators": []}, client_id=client_id, at=1, on=on)

    first, *_, refused = taken_over("other", 50_001)[:3]
    for request in ({"keyType": 1, "coordinatorKeys": ["tx"]}, {"keyType": 1, "key": "tx"}):
        assert len(findings("producer-fenced", [first, asks("other", **request), refused])) == 1
        assert findings("producer-fenced", [first, asks("writer", **request), refused]) == []
    assert findings("producer-fenced", [first, asks("other", keyType=0, key="tx"), refused]) == []


def test_late_batches_of_an_idempotent_producer_are_no_sign_of_a_second_one() -> None:
    late = fenced(3, together=False, transactional_id=None)
    assert findings("producer-fenced", late) == []
    assert "INVALID_PRODUCER_EPOCH" in finding("unexplained-error", late).summary
