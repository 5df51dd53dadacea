from typing import Any

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.tcp.events import Endpoint
from tests.diagnose.kinds import produce
from tests.diagnose.made import connection, finding, findings


@pytest.mark.parametrize(("rule", "acks"), [("acks-zero", 0), ("acks-one", 1)])
def test_acks(rule: str, acks: int) -> None:
    assert findings(rule, [produce(0, acks=-1)]) == []
    found = finding(rule, [produce(0, acks=acks)])
    assert (found.severity, found.subject["topic"]) == ("info", "orders")


def test_tiny_batches() -> None:
    def stream(count: int, every: float, single: float = 1) -> list[Call]:
        return [produce(at * every, records=1 if at % 100 < single * 100 else 50) for at in range(count)]

    assert findings("tiny-batches", stream(99, every=0.04)) == []
    assert findings("tiny-batches", stream(200, every=100 / 99 / 39.9)) == []
    assert "up to 40 a second" in finding("tiny-batches", stream(200, every=100 / 99 / 40.1)).summary
    assert findings("tiny-batches", stream(200, every=0.02, single=0.89)) == []
    found = finding("tiny-batches", stream(200, every=0.02, single=0.9))
    assert found.count == 180


def test_a_burst_of_single_records_is_over_soon() -> None:
    def burst(seconds: float) -> list[Call]:
        return [produce(at / 200) for at in range(int(seconds * 200) + 10)]

    assert findings("tiny-batches", burst(2.9)) == []
    assert len(findings("tiny-batches", burst(3.1))) == 1
    lull = [produce(2.9 + at) for at in range(1, 200)]
    later = [produce(300 + at / 200) for at in range(580)]
    assert findings("tiny-batches", [*burst(2.9), *lull, *later]) == []


def test_what_stands_behind_gaps_is_known_late() -> None:
    """A slow producer on two connections; the requests of one are known 10 s late."""

    def requests(begin: float) -> list[Call]:
        return [produce(begin + at / 8) for at in range(80)]

    calls = [each for begin in range(0, 90, 10) for late in (0, 0.06) for each in requests(begin + late)]
    assert findings("tiny-batches", calls) == []


def serial(count: int, pause: float, **more: Any) -> list[Call]:
    """Each sent `pause` seconds after the last answer, answers taking 1 to 5 ms."""
    calls, now = [], 0.0
    for index in range(count):
        took = 0.001 * (1 + index % 5)
        calls.append(produce(now, took=took, **more))
        now += took + pause
    return calls


def test_serial_sync_send() -> None:
    assert findings("serial-sync-send", serial(100, pause=0.001)) == []
    found = finding("serial-sync-send", serial(101, pause=0.001))
    assert found.count == 100
    assert findings("serial-sync-send", serial(300, pause=0.0101)) == []
    assert finding("serial-sync-send", serial(300, pause=0.0099)).count == 299


def sent(pauses: list[float]) -> list[Call]:
    """Each sent so many seconds after the last answer."""
    calls, now = [], 0.0
    for index, pause in enumerate(pauses):
        took = 0.001 * (1 + index % 5)
        calls.append(produce(now + pause, took=took))
        now += pause + took
    return calls


def test_who_waits_for_most_answers() -> None:
    def habit(prompt: int) -> list[Call]:
        """Of each hundred requests so many come right after the last answer."""
        return sent([0, *(0.001 if at % 100 < prompt else 1.0 for at in range(500))])

    assert findings("serial-sync-send", habit(prompt=59)) == []
    assert finding("serial-sync-send", habit(prompt=60)).count == 300


def test_who_pauses_for_less_time_after_a_slow_answer() -> None:
    def leaning(slope: float) -> list[Call]:
        """Pauses of 4 ms that the time of the last answer (1 to 5 ms) lengthens or shortens."""
        return sent([0, *(0.004 + slope * 0.001 * (1 + at % 5) for at in range(300))])

    assert findings("serial-sync-send", leaning(-0.51)) == []
    assert finding("serial-sync-send", leaning(-0.49)).count == 300


def test_a_fixed_rate_is_no_waiting() -> None:
    calls = [produce(at * 0.006, took=0.001 * (1 + at % 5)) for at in range(300)]
    assert findings("serial-sync-send", calls) == []


def test_several_in_flight_are_no_waiting() -> None:
    calls = [produce(at * 0.004, took=0.006) for at in range(300)]
    assert findings("serial-sync-send", calls) == []


def test_waiting_for_batches_is_no_waiting_for_records() -> None:
    assert len(findings("serial-sync-send", serial(300, pause=0.001, records=10))) == 1
    assert findings("serial-sync-send", serial(300, pause=0.001, records=11)) == []


def test_records_that_gather_while_linger_runs_are_not_waited_for() -> None:
    """As librdkafka with its linger of 5 ms, which is given a record every 2 ms, and has its answers in 3 ms."""
    assert findings("serial-sync-send", serial(300, pause=0.0065, records=3)) == []
    assert len(findings("serial-sync-send", serial(300, pause=0.0055, records=3))) == 1
    assert len(findings("serial-sync-send", serial(300, pause=0.0065))) == 1


def test_one_sender_on_connections_to_several_brokers() -> None:
    calls = serial(150, pause=0.004)
    for index, each in enumerate(calls):
        each.connection = (ONE, OTHER, THIRD)[index % 3]
    assert finding("serial-sync-send", calls).count == 149


def test_programs_that_share_a_client_id_are_judged_apart() -> None:
    """Two senders of 25 requests a second each are not one of 50."""
    calls = [produce(at * 0.02, on=(ONE, OTHER)[at % 2]) for at in range(400)]
    assert findings("tiny-batches", calls) == []
    assert len(findings("tiny-batches", [produce(at * 0.02, on=ONE) for at in range(400)])) == 1
    other_broker = connection(50_003, server=Endpoint("10.0.0.3", 9092))
    assert len(findings("tiny-batches", [produce(at * 0.02, on=(ONE, other_broker)[at % 2]) for at in range(400)])) == 1


def test_a_program_that_waits_beside_one_that_does_not() -> None:
    waits = serial(150, pause=0.001, on=ONE)
    calls = sorted([*waits, *(produce(at * 0.002, took=0.01, on=OTHER) for at in range(300))], key=ended)
    found = finding("serial-sync-send", calls)
    assert found.subject["client"] == "10.0.0.1:50001"
    assert 100 <= found.count <= 149


def ended(each: Call) -> int:
    return each.ended.time


ONE, OTHER, THIRD = connection(50_001), connection(50_002), connection(50_003)
