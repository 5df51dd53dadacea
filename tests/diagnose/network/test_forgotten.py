from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import ConnectionReport
from tests.diagnose.made import call, connection, finding, findings, report

FORGOTTEN = "connection-forgotten"


def forgotten(idle: float = 5, waited: float = 3, repeats: int = 3, new: bool = True) -> list[Call | ConnectionReport]:
    on = connection(50_000, end=idle + waited)
    on.counters[0].late_retransmissions = repeats
    before = call(3, 12, {"topics": []}, {"brokers": [], "topics": []}, on=on)
    lost = call(0, 9, {}, None, at=0.001 + idle, took=waited, on=on)
    after = connection(50_001, begin=idle + 2)
    works = call(3, 12, {"topics": []}, {"brokers": [], "topics": []}, at=idle + 2, on=after)
    return [before, *([works] if new else []), lost, report(on, ended_by="rst")]


def test_connections_that_are_forgotten() -> None:
    found = finding(FORGOTTEN, forgotten())
    assert found.subject.items() >= {"clientId": "shop", "client": "10.0.0.1:50000", "server": "10.0.0.2:9092"}.items()
    assert "after 5.0 s of idleness, sent again 3 times" in found.summary
    assert findings(FORGOTTEN, forgotten(idle=4.9)) == []
    assert findings(FORGOTTEN, forgotten(waited=2.9)) == []
    assert findings(FORGOTTEN, forgotten(repeats=2)) == []
    assert findings(FORGOTTEN, forgotten(new=False)) == []


def test_a_late_answer_shows_it_as_well() -> None:
    items = forgotten()
    late = call(0, 9, {}, {"responses": []}, at=5.001, took=26, on=items[2].connection)
    assert finding(FORGOTTEN, [*items[:2], late, items[3]]).count == 1
