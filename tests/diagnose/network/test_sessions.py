from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.protocol.sasl.token import SaslToken
from kafkasniff.tcp.events import Connection
from tests.diagnose.made import Item, arrival, call, connection, finding, findings, report

CLOSED, SESSIONS = "connection-closed-by-server", "reauthentication-missing"


def session(at: float, version: int = 1, lifetime: int = 3000, **more: Any) -> Call:
    answer = {"errorCode": 0} | ({"sessionLifetimeMs": lifetime} if version else {})
    return call(36, version, {}, answer, at=at, **more)


def raw(at: float, on: Connection) -> RawToken:
    """A client's token behind SaslHandshake v0."""
    client, server = map(str, on.endpoints)
    return RawToken(on, client, server, "request", 20, arrival(at), SaslToken("PLAIN", "PLAIN credentials", "a", {}))


def used(index: int, until: float, again: float | None = None, version: int = 1, lifetime: int = 3000) -> list[Item]:
    """A login, and a request so many seconds later that the server does not answer."""
    begin = index * 10.0
    on = connection(50_000 + index, begin=begin, end=begin + until)
    items: list[Item] = [session(begin, version, lifetime, on=on)]
    if again is not None:
        items.append(session(begin + again, version, on=on))
    on.ended_by, on.ended_direction = "fin", 1
    return [*items, call(0, 9, {}, None, at=begin + until, took=0.01, on=on), report(on, ended_direction=1)]


def test_sessions_that_end() -> None:
    assert findings(SESSIONS, used(0, 3.1)) == []
    found = finding(SESSIONS, used(0, 3.1) + used(1, 3.0))
    assert (found.count, found.subject["clientId"]) == (2, "shop")
    assert "session of 3 s" in found.summary
    assert findings(SESSIONS, used(0, 2.9) + used(1, 2.9)) == []
    assert findings(SESSIONS, used(0, 3.5, again=2) + used(1, 3.5, again=2)) == []
    told = session(0, on=connection(40_000))
    assert findings(SESSIONS, used(0, 3.1, version=0) + used(1, 3.1, version=0)) == []  # Nothing is told.
    assert finding(SESSIONS, [told, *used(0, 3.1, version=0), *used(1, 3.1, version=0)]).count == 2


def test_sessions_of_logins_without_headers() -> None:
    """As of kafka-python 2.0.2: the broker ends them all the same, and tells others how long they last."""
    told = session(0, on=connection(40_000))
    cut_off = [used(index, 3.1) for index in range(3)]
    for index, items in enumerate(cut_off):
        on = items[0].connection
        items[0] = call(17, 0, {"mechanism": "PLAIN"}, {"errorCode": 0, "mechanisms": []}, at=index * 10, on=on)
        items.insert(1, raw(index * 10, on))
    calls = [item for items in cut_off for item in items]
    assert finding(SESSIONS, [told, *calls]).count == 3
    assert findings(CLOSED, [told, *calls]) == []
    found = finding(SESSIONS, calls)
    assert "cut off 3 times, each time 3.1 s or little more after its login" in found.summary


def test_a_session_that_ends_is_no_refused_connection() -> None:
    items = [item for index in range(4) for item in used(index, 3.1)]
    assert findings(CLOSED, items) == []


def untold(*ages: float, version: int = 0, **more: Any) -> list[Item]:
    """Connections that are closed so many seconds after logins that are told no lifetime."""
    return [item for index, age in enumerate(ages) for item in used(index, age, version=version, **more)]


def test_sessions_that_nobody_is_told_of() -> None:
    """As of librdkafka before 2.2.0 alone with a broker: SaslAuthenticate v0 has no sessionLifetimeMs."""
    found = finding(SESSIONS, untold(4.0, 4.1, 4.0))
    assert (found.count, found.subject["clientId"]) == (3, "shop")
    assert "each time 4.0 s or little more after its login" in found.summary
    assert findings(SESSIONS, untold(4.0, 4.1)) == []
    assert findings(SESSIONS, untold(4.0, 4.1, 6.0)) == []  # What is unlike has other reasons.
    assert findings(SESSIONS, untold(0.1, 0.1, 0.1)) == []  # The login itself may have been refused.


def test_a_server_that_stops_again_and_again_ends_no_sessions() -> None:
    refused = connection(49_000, begin=5, end=5)
    refused.ended_by, refused.ended_direction = "rst", 1
    for counter in refused.counters:
        counter.data_bytes = 0
    items = untold(4.0, 4.1, 4.0)
    stop = report(refused, protocol="empty", ended_by="rst", ended_direction=1)
    assert findings(SESSIONS, [*items[:3], stop, *items[3:]]) == []


def test_sessions_that_never_end() -> None:
    """Version 1 tells 0 where connections.max.reauth.ms is not set."""
    items = untold(4.0, 4.1, 4.0, version=1, lifetime=0)
    assert findings(SESSIONS, items) == []


def test_sessions_that_end_where_the_capture_lost_bytes() -> None:
    items = used(0, 3.1) + used(1, 3.0)
    for item in items:
        item.connection.counters[0].gaps = 1
        if isinstance(item, Call) and item.outcome == "unanswered":
            item.outcome = "response-not-captured"
    assert finding(SESSIONS, items).count == 2
    late = used(0, 3.1) + used(1, 3.0)
    for item in late:
        item.connection.first_fin = arrival((item.connection.first.time - arrival(0).time) / 1e9 + 5)
    assert findings(SESSIONS, late) == []  # The broker closes at the request, not later.
