from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import ConnectionReport
from tests.diagnose.kinds import ALIVE, HEARTBEAT
from tests.diagnose.made import Item, arrival, call, connection, finding, findings, report


def idle(seconds: float, fin_from: int = 1, late: float = 0.1) -> list[Call]:
    """An answer, a pause, a FIN, a request."""
    on = connection()
    answered = call(12, 0, HEARTBEAT, ALIVE, at=0, took=0, on=on)
    on.first_fin, on.ended_direction = arrival(seconds), fin_from
    return [answered, call(12, 0, HEARTBEAT, at=seconds + late, on=on)]


def test_idle_close_race() -> None:
    assert findings("idle-close-race", idle(1.9)) == []
    assert finding("idle-close-race", idle(2)).subject["clientId"] == "shop"
    assert findings("idle-close-race", idle(9, fin_from=0)) == []
    assert findings("idle-close-race", idle(9, late=-0.1)) == []


def test_a_server_that_is_stopped_is_not_idle() -> None:
    def refused(at: float) -> ConnectionReport:
        on = connection(50_001, begin=at, end=at)
        for counter in on.counters:
            counter.data_bytes = 0
        return report(on, "half-open", "rst", 1)

    assert findings("idle-close-race", [*idle(9), refused(9.2), refused(30)]) == []
    assert findings("idle-close-race", [*idle(9), refused(39)]) == []
    assert len(findings("idle-close-race", [*idle(9), refused(39.1)])) == 1


def test_a_server_that_closes_busy_connections_stops() -> None:
    def closed(used: float, fin: float, by: int = 1) -> list[Item]:
        on = connection(50_001, end=fin)
        answered = call(12, 0, HEARTBEAT, ALIVE, at=used, took=0, on=on)
        on.first_fin = arrival(fin)
        return [answered, report(on, ended_direction=by)]

    assert findings("idle-close-race", [*idle(9), *closed(7.1, 9)]) == []
    assert len(findings("idle-close-race", [*idle(9), *closed(7, 9)])) == 1
    assert len(findings("idle-close-race", [*idle(9), *closed(7.1, 9, by=0)])) == 1
    assert len(findings("idle-close-race", [*idle(40), *closed(7.1, 9)])) == 1
