from typing import Any

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import ConnectionReport
from tests.diagnose.made import call, connection, finding, findings, report

CASES = [
    ("tls-to-plaintext-port", "tls"),
    ("http-to-kafka-port", "http"),
    ("other-protocol-to-kafka-port", "ssh"),
    ("other-protocol-to-kafka-port", "unknown"),
]


def closed(protocol: str, count: int, answered: int = 0, ended_direction: int = 1) -> list[ConnectionReport]:
    reports = []
    for index in range(count):
        on = connection(50_000 + index)
        on.counters[1].data_bytes = answered
        reports.append(report(on, protocol, "rst", ended_direction))
    return reports


@pytest.mark.parametrize(("rule", "protocol"), CASES)
def test_unanswered_and_closed(rule: str, protocol: str) -> None:
    assert findings(rule, closed(protocol, 1)) == []
    found = finding(rule, closed(protocol, 2))
    assert found.subject.items() >= {"server": "10.0.0.2:9092", "client": ["10.0.0.1:50000", "10.0.0.1:50001"]}.items()


@pytest.mark.parametrize(("rule", "protocol"), CASES)
def test_who_answers_speaks_the_protocol(rule: str, protocol: str) -> None:
    assert findings(rule, closed(protocol, 9, answered=100)) == []
    assert findings(rule, closed(protocol, 9, ended_direction=0)) == []


@pytest.mark.parametrize(("rule", "protocol"), CASES)
def test_who_gives_up_at_a_port_that_is_known_to_be_kafkas(rule: str, protocol: str) -> None:
    served = call(18, 3, {}, {"errorCode": 0, "apiKeys": []})
    assert findings(rule, [served, *closed(protocol, 1, ended_direction=0)]) == []
    assert finding(rule, [served, *closed(protocol, 2, ended_direction=0)]).count == 2


@pytest.mark.parametrize(("rule", "protocol"), CASES)
def test_lost_bytes_may_have_been_the_answer(rule: str, protocol: str) -> None:
    reports = closed(protocol, 9)
    for each in reports:
        each.connection.counters[1].gaps = 1
    assert findings(rule, reports) == []


def alerts(count: int, start: bytes) -> list[Any]:
    items: list[Call | ConnectionReport] = []
    for index in range(count):
        on = connection(50_000 + index)
        items += [call(18, 3, {}, on=on), report(on, "kafka", "fin", 1, response_start=start)]
    return items


def test_plaintext_to_tls_port() -> None:
    alert = bytes.fromhex("15030300020250")
    found = finding("plaintext-to-tls-port", alerts(2, alert))
    assert found.subject.items() >= {"clientId": "shop", "server": "10.0.0.2:9092"}.items()
    assert "answered 2 times with a TLS alert" in found.summary
    assert found.severity == "error"
    once = finding("plaintext-to-tls-port", alerts(1, alert))  # Java makes no second one
    assert once.severity == "info"
    assert "answered once with a TLS alert" in once.summary
    assert findings("plaintext-to-tls-port", alerts(9, bytes.fromhex("00000150"))) == []
