from typing import Any

import pytest

from kafkasniff.calls.call import Call
from tests.diagnose.made import Item, call, connection, finding, findings

SLOW, EXPIRED = "slow-acknowledgement", "transaction-timed-out"


def written(took: float, at: float = 0, acks: int = -1, wait: int = 0, **more: Any) -> Call:
    request = {"acks": acks, "topicData": [{"name": "pay"}]}
    return call(0, 9, request, {"responses": [], "throttleTimeMs": wait}, at=at, took=took, **more)


def test_writes_that_wait_for_a_replica() -> None:
    assert findings(SLOW, [written(1, at) for at in range(2)]) == []
    found = finding(SLOW, [written(1, at) for at in range(3)])
    assert (
        found.subject.items()
        >= {"clientId": "shop", "client": "10.0.0.1:50000", "server": "10.0.0.2:9092", "topic": "pay"}.items()
    )
    assert findings(SLOW, [written(0.9, at) for at in range(9)]) == []
    assert findings(SLOW, [written(2, at, acks=1) for at in range(9)]) == []


def test_the_replica_that_left_the_isr() -> None:
    def metadata(at: float, *isr: int) -> Call:
        partition = {"errorCode": 0, "partitionIndex": 0, "replicaNodes": [3, 1, 2], "isrNodes": list(isr)}
        topics = [{"name": name, "errorCode": 0, "partitions": [partition]} for name in ("pay", "other")]
        return call(3, 12, {"topics": []}, {"brokers": [], "topics": topics}, at=at)

    writes = [written(1, at) for at in range(3)]
    assert "broker 3." in finding(SLOW, [*writes, metadata(9, 1, 2)]).summary
    assert "Out of sync" not in finding(SLOW, [*writes, metadata(9, 3, 1, 2)]).summary


def test_one_long_wait() -> None:
    assert findings(SLOW, [written(4.9, on=connection(end=20))]) == []
    assert finding(SLOW, [written(5, on=connection(end=25))]).count == 1
    assert findings(SLOW, [written(5, on=connection(end=26))]) == []


def test_what_else_makes_writes_wait() -> None:
    assert findings(SLOW, [written(2, at * 3, wait=100) for at in range(9)]) == []
    lossy = connection()
    lossy.counters[0].late_retransmissions = 1
    assert findings(SLOW, [written(2, at, on=lossy) for at in range(9)]) == []
    slow_broker = [call(3, 12, {"topics": []}, {"brokers": [], "topics": []}, at=at, took=2) for at in range(9)]
    assert findings(SLOW, [*slow_broker, *(written(2, at) for at in range(9))]) == []
    stopped = [call(18, 3, {}, None, at=at, took=2, on=connection(50_001 + at)) for at in range(9)]
    assert findings(SLOW, [*stopped, *(written(2, at) for at in range(9))]) == []


def init(at: float, timeout: int = 4000, client_id: str = "ledger") -> Call:
    request = {"transactionalId": "t", "transactionTimeoutMs": timeout}
    return call(22, 4, request, {"errorCode": 0, "producerId": 1, "producerEpoch": 0}, at=at, client_id=client_id)


def adds(at: float) -> Call:
    return call(24, 3, {"v3AndBelowTransactionalId": "t"}, {"errorCode": 0}, at=at, client_id="ledger")


def ends(at: float, code: int = 90) -> Call:
    return call(26, 3, {"transactionalId": "t"}, {"errorCode": code}, at=at, client_id="ledger")


@pytest.mark.parametrize("code", [47, 48, 59, 90])
def test_a_transaction_that_lasts_too_long(code: int) -> None:
    assert findings(EXPIRED, [init(0), adds(1), ends(5, code)]) == []
    found = finding(EXPIRED, [init(0), adds(1), ends(5.1, code)])
    assert found.subject.items() >= {"transactionalId": "t", "clientId": "ledger", "client": "10.0.0.1:50000"}.items()
    assert "lasted 4.1 s, longer than its timeout of 4.0 s: its producer was silent for 4.1 s" in found.summary


def test_a_producer_that_was_never_silent() -> None:
    calls: list[Item] = [init(0), *(adds(at) for at in range(1, 6)), ends(5.5)]
    assert "never silent" in finding(EXPIRED, calls).summary


def test_a_second_producer() -> None:
    assert findings(EXPIRED, [init(0), adds(1), init(2, client_id="other"), ends(9)]) == []
    assert findings(EXPIRED, [init(0), adds(1), ends(2, code=0), ends(9)]) == []
    assert findings(EXPIRED, [adds(1), ends(9)]) == []


def test_transactions_that_produce_begins() -> None:
    def produced(at: float, version: int) -> Call:
        return call(0, version, {"transactionalId": "t", "topicData": []}, {"responses": []}, at=at, client_id="ledger")

    assert findings(EXPIRED, [init(0), produced(1, 11), ends(9)]) == []
    assert finding(EXPIRED, [init(0), produced(1, 12), ends(9)]).count == 1
