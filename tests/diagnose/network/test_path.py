from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.reports import Gap
from tests.diagnose.made import Item, arrival, call, connection, finding, findings, report

MTU, ABANDONED = "path-mtu", "request-abandoned"


def sized(size: int, port: int, answered: bool, repeats: int = 0, **counters: int) -> list[Item]:
    """A request of so many bytes on a connection of its own."""
    on = connection(port)
    on.counters[0].late_retransmissions = repeats
    for name, value in counters.items():
        setattr(on.counters[1], name, value)
    made = call(0, 9, {"acks": -1, "topicData": []}, {"responses": []} if answered else None, at=1, took=9, on=on)
    assert made.request is not None
    made.request.size = size
    before = call(3, 12, {"topics": []}, {"brokers": [], "topics": []}, on=on)
    return [before, made, report(on, ended_by="rst")]


def test_large_requests_that_get_stuck() -> None:
    small = sized(1_100, 50_001, answered=True)
    assert findings(MTU, small + sized(1_300, 50_002, answered=False, repeats=2)) == []
    found = finding(MTU, small + sized(1_300, 50_002, answered=False, repeats=3))
    assert found.subject == {"clientId": "shop", "client": "10.0.0.1:50002", "server": "10.0.0.2:9092"}
    assert "of up to 1,100 bytes got through; those of 1,300 bytes and more" in found.summary


def test_the_segment_size_that_the_hosts_agreed_on() -> None:
    small, stuck = sized(1_100, 50_001, answered=True), sized(1_300, 50_002, answered=False, repeats=3)
    on = stuck[-1].connection
    on.counters[0].mss, on.counters[1].mss = 1_460, 1_400
    assert finding(MTU, small + stuck).summary.endswith("; the hosts agreed on segments of 1,400 bytes.")


def test_large_requests_that_got_through_once() -> None:
    large = sized(5_000, 50_001, answered=True)
    assert findings(MTU, large + sized(1_300, 50_002, answered=False, repeats=9)) == []


def test_damaged_and_one_way_captures() -> None:
    small = sized(1_100, 50_001, answered=True)
    for name in ("gaps", "cut_packets"):
        assert findings(MTU, small + sized(9_000, 50_002, answered=False, repeats=9, **{name: 1})) == []
    assert findings(MTU, small + sized(9_000, 50_002, answered=False, repeats=9, packets=0)) == []


def answered(size: int, port: int, repeats: int = 0) -> list[Item]:
    """An answer of so many bytes behind a small one, the last one on a connection of its own."""
    on = connection(port)
    on.counters[1].late_retransmissions = repeats
    before = call(3, 12, {"topics": []}, {"brokers": [], "topics": []}, on=on)
    made = call(1, 12, {"maxWaitMs": 500}, {"responses": []}, at=1, on=on)
    assert before.response is not None
    assert made.response is not None
    before.response.size, made.response.size = 200, size
    return [before, made, report(on, ended_by="fin")]


def test_large_answers_that_get_stuck() -> None:
    """Seen beside the broker: the answer is there, and sent again and again, and the client never asks again."""
    assert findings(MTU, answered(9_000, 50_001, repeats=2)) == []
    assert findings(MTU, answered(1_100, 50_001, repeats=9)) == []
    found = finding(MTU, answered(9_000, 50_001, repeats=3))
    assert found.subject == {"clientId": "shop", "client": "10.0.0.1:50001", "server": "10.0.0.2:9092"}
    assert "Answers of 10.0.0.2:9092 to shop of up to 200 bytes got through; those of 9,000 bytes" in found.summary
    once = answered(9_000, 50_002)
    assert findings(MTU, [*once[:2], once[0], once[2], *answered(9_000, 50_001, repeats=9)]) == []


def with_hole(port: int, length: int = 1_448, acknowledged: bool = False, gaps: int = 1) -> list[Item]:
    """A connection on which bytes of the server are found lost at the end."""
    on = connection(port)
    on.counters[1].gaps = gaps
    answers = [call(3, 12, {"topics": []}, {"brokers": [], "topics": []}, at=at, on=on) for at in range(2)]
    hole = Gap(on, "10.0.0.1", "10.0.0.2:9092", "response", length, arrival(9), acknowledged)
    return [*answers, hole, report(on, ended_by="fin")]


def test_large_answers_that_never_came() -> None:
    """Seen beside the client: small segments come behind them, which nobody acknowledges."""
    assert findings(MTU, with_hole(50_001)) == []
    found = finding(MTU, with_hole(50_001) + with_hole(50_002))
    assert "those of 1,448 bytes and more never came (2 connections)" in found.summary
    assert findings(MTU, with_hole(50_001, length=1_100) + with_hole(50_002, length=1_100)) == []
    assert findings(MTU, with_hole(50_001, acknowledged=True) + with_hole(50_002, acknowledged=True)) == []
    assert findings(MTU, with_hole(50_001, gaps=2) + with_hole(50_002, gaps=2)) == []  # The capture has losses, too.


def broken_off(port: int, waited: float = 1.5, came: int = 71, gaps: int = 0) -> list[Item]:
    """An answer of 9,000 bytes whose beginning came by itself, as of Fetch, whose records are sent from files."""
    on = connection(port, end=2 + waited)
    on.counters[1].gaps = gaps
    before = call(3, 12, {"topics": []}, {"brokers": [], "topics": []}, on=on)
    made = call(1, 12, {"maxWaitMs": 500}, {}, at=1, on=on, outcome="response-not-captured")
    made.response, made.ended = Frame(9_000, bytes(came), arrival(2), arrival(2), 0), arrival(2 + waited)
    return [before, made, report(on, ended_by="fin")]


def test_large_answers_of_which_the_beginning_came() -> None:
    assert findings(MTU, broken_off(50_001)) == []
    found = finding(MTU, broken_off(50_001) + broken_off(50_002))
    assert "those of 9,000 bytes and more never came (2 connections)" in found.summary
    assert found.evidence[0].what == "71 of 9,000 bytes of an answer to FETCH came"
    for more in ({"waited": 1.4}, {"came": 1_400}, {"gaps": 1}):
        assert findings(MTU, [each for port in (50_001, 50_002) for each in broken_off(port, **more)]) == []


def given_up(count: int, waited: float = 3, asked: int = 5_000, key: int = 1, together: bool = False) -> list[Item]:
    items: list[Item] = []
    for index in range(count):
        begin = 0 if together else index * (waited + 10)
        on = connection(50_000 + index, begin=begin, end=begin + 1 + waited)
        items.append(call(3, 12, {"topics": []}, {"brokers": [], "topics": []}, at=begin, on=on))
        on.ended_by, on.ended_direction = "fin", 0
        request: dict[str, Any] = {"maxWaitMs": asked} if key == 1 else {"groupId": "g", "rebalanceTimeoutMs": asked}
        pending = call(key, 5, request, None, at=begin + 1, took=waited, on=on)
        items += [pending, report(on)]
    return items


def test_requests_that_are_given_up_too_soon() -> None:
    assert findings(ABANDONED, given_up(2)) == []
    found = finding(ABANDONED, given_up(3))
    assert found.subject["clientId"] == "shop"
    assert "gave up FETCH at 10.0.0.2:9092 3 times after 3.0 s, though it lets the broker wait for 5 s" in found.summary
    assert finding(ABANDONED, given_up(3, waited=30, asked=300_000, key=11)).count == 3


def test_clients_that_wait_or_stop() -> None:
    assert findings(ABANDONED, given_up(9, waited=5.1)) == []
    assert findings(ABANDONED, given_up(9, waited=0.4)) == []  # A program that stops within its long poll.
    assert findings(ABANDONED, given_up(9, together=True)) == []
    different: list[Item] = [*given_up(1, waited=1.5), *given_up(3, waited=4)[3:]]
    assert findings(ABANDONED, different) == []


def test_a_client_that_waits_longer_for_another_answer() -> None:
    """franz-go closes connections with a Fetch under way in each rebalance, and waits for the full time else."""
    waited = call(1, 12, {"maxWaitMs": 5_000}, {"responses": []}, took=5, on=connection(49_000))
    assert findings(ABANDONED, [waited, *given_up(3)]) == []
    assert findings(ABANDONED, [*given_up(3), waited]) == []
    shorter = call(1, 12, {"maxWaitMs": 5_000}, {"responses": []}, took=2.5, on=connection(49_000))
    assert finding(ABANDONED, [shorter, *given_up(3)]).count == 3


def test_a_request_whose_answer_was_not_captured() -> None:
    items = given_up(3)
    for item in items:
        item.connection.counters[1].gaps = 1
    assert findings(ABANDONED, items) == []
    assert isinstance(items[0], Call)


def test_an_answer_that_comes_when_the_client_is_gone() -> None:
    """Brokers answer a Fetch that they have read, whether or not the client has closed the connection meanwhile."""

    def answered(count: int, closes: float) -> list[Item]:
        items: list[Item] = []
        for index in range(count):
            begin = index * 10
            on = connection(50_000 + index, begin=begin, end=begin + 6)
            on.first_fin, on.ended_by, on.ended_direction = arrival(begin + closes), "fin", 0
            late = call(1, 12, {"maxWaitMs": 6_000}, {"responses": []}, at=begin, took=6, on=on)
            items += [late, report(on)]
        return items

    assert findings(ABANDONED, answered(2, closes=2)) == []
    assert "3 times after 2.0 s, though it lets the broker wait for 6 s" in finding(ABANDONED, answered(3, 2)).summary
    assert findings(ABANDONED, answered(3, closes=6.5)) == []
