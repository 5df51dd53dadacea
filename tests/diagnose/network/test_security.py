from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.protocol.headers import RequestHeader
from kafkasniff.protocol.sasl.token import SaslToken
from kafkasniff.tcp.events import Connection
from tests.diagnose.made import NOON, SECOND, arrival, call, connection, finding, findings, report

METADATA = {"topics": None}


def handshake(mechanism: str, code: int = 0, protocol: str = "SASL_PLAINTEXT", client_id: str = "shop") -> Call:
    answer = {"errorCode": code, "mechanisms": ["PLAIN"]}
    return call(17, 1, {"mechanism": mechanism}, answer, security_protocol=protocol, client_id=client_id)


def test_cleartext_credentials() -> None:
    assert findings("cleartext-credentials", [handshake("SCRAM-SHA-256")]) == []
    assert findings("cleartext-credentials", [handshake("PLAIN", protocol="SASL_SSL")]) == []
    assert findings("cleartext-credentials", [handshake("PLAIN", code=33)]) == []
    assert "password" in finding("cleartext-credentials", [handshake("PLAIN")]).summary
    assert "change the password" in finding("cleartext-credentials", [handshake("PLAIN")]).fix
    token = finding("cleartext-credentials", [handshake("OAUTHBEARER")])
    assert ("tokens can be read" in token.summary, "let them expire" in token.fix) == (True, True)


def test_a_listener_without_sasl_refuses_a_handshake() -> None:
    plain = call(17, 1, {"mechanism": "PLAIN"}, {"errorCode": 34, "mechanisms": []})  # SASL on a listener without
    assert "ILLEGAL_SASL_STATE (34) once from SASL_HANDSHAKE" in finding("unexplained-error", [plain]).summary


def login(at: float, mechanism: str, code: int = 0, message: str | None = None, **claims: Any) -> Call:
    """A SaslAuthenticate call, with what was read of its token."""
    answer = {"errorCode": code, "errorMessage": message, "authBytes": "", "sessionLifetimeMs": 0}
    made = call(36, 1, {"authBytes": "***"}, answer, at=at)
    value = {"saslMechanism": mechanism, **({"claims": claims} if claims else {})}
    token = {"where": "request", "path": "authBytes", "type": mechanism, "version": None, "value": value}
    made.context = made.context.having(tokens=(token,))
    return made


def test_why_a_login_fails_depends_on_its_mechanism() -> None:
    rule = "auth-failure-loop"
    password = finding(rule, [login(0, "PLAIN", 58, "Authentication failed: Invalid username or password")])
    assert "the broker says: Authentication failed: Invalid username or password." in password.summary
    assert password.cause.startswith("A wrong user name or password")
    assert "principal and keytab" in finding(rule, [login(0, "GSSAPI", 58)]).fix
    token = [
        login(0, "OAUTHBEARER", sub="shop", exp=NOON // SECOND - 7200),
        login(1, "OAUTHBEARER", 58, "invalid_token"),
    ]
    found = finding(rule, token)
    assert "its token had expired 2.0 h before." in found.summary
    assert found.cause.startswith("The token is expired")
    for until in (NOON // SECOND + 60, "soon", None, True):
        valid = [login(0, "OAUTHBEARER", exp=until), login(1, "OAUTHBEARER", 58, "invalid_token")]
        assert "the broker says: invalid_token." in finding(rule, valid).summary


def test_readable_logins_are_the_listeners() -> None:
    """Whoever logs in there: what is to be changed is the listener."""
    calls = [handshake("PLAIN", client_id=f"shop-{number}") for number in range(7)]
    found = finding("cleartext-credentials", calls)
    assert (found.count, found.subject["server"]) == (7, "10.0.0.2:9092")
    assert found.subject["clientId"] == [f"shop-{number}" for number in range(7)]
    assert found.summary.startswith("shop-0, shop-1, shop-2, shop-3 and 3 more logged in at 10.0.0.2:9092 7 times")
    assert len(findings("cleartext-credentials", [*calls, handshake("OAUTHBEARER")])) == 2


def refused(count: int, ended_direction: int = 1) -> list[Call]:
    calls = []
    for index in range(count):
        on = connection(50_000 + index)
        on.ended_by, on.ended_direction = "fin", ended_direction
        calls.append(call(3, 1, METADATA, at=index, on=on))
    return calls


def test_request_before_sasl() -> None:
    assert findings("request-before-sasl", refused(1)) == []
    found = finding("request-before-sasl", refused(2))
    assert found.subject.items() >= {"clientId": "shop", "server": "10.0.0.2:9092"}.items()


def test_who_is_served_knows_how_to_log_in() -> None:
    served = call(3, 1, METADATA, {"brokers": [], "controllerId": 1, "topics": []}, at=9)
    assert findings("request-before-sasl", [*refused(5), served]) == []
    assert findings("request-before-sasl", [handshake("PLAIN"), *refused(5)]) == []


def test_who_hangs_up_was_not_refused() -> None:
    assert findings("request-before-sasl", refused(5, ended_direction=0)) == []


def raw(on: Connection, at: float, mechanism: str = "PLAIN", kind: str = "PLAIN credentials") -> RawToken:
    """A token without Kafka's headers (KIP-43), from the client."""
    ends = map(str, on.endpoints)
    return RawToken(on, *ends, "request", 20, arrival(at), SaslToken(mechanism, kind, "User:alice", {}))


def logins(count: int, *, served: bool = False, ended_direction: int = 1, handshakes: bool = True) -> list[Any]:
    """SaslHandshake v0, a token, perhaps a call, the end of the connection; one login a second."""
    items: list[Any] = []
    for at in range(count):
        on = connection(50_000 + at, begin=at, end=at + 0.5)
        if handshakes:
            items.append(call(17, 0, {"mechanism": "PLAIN"}, {"errorCode": 0, "mechanisms": ["PLAIN"]}, at=at, on=on))
        items.append(raw(on, at + 0.1))
        if served:
            items.append(call(18, 0, {}, {"errorCode": 0, "apiKeys": []}, at=at + 0.2, on=on))
        items.append(report(on, ended_direction=ended_direction))
    return items


def test_failing_logins_by_raw_tokens() -> None:
    assert findings("auth-failure-loop", logins(3)) == []
    found = finding("auth-failure-loop", logins(4))
    assert (found.count, found.subject["clientId"]) == (4, "shop")
    assert findings("auth-failure-loop", logins(9, served=True)) == []
    assert findings("auth-failure-loop", logins(9, ended_direction=0)) == []


def test_lost_bytes_may_have_been_the_answer_to_a_token() -> None:
    items = logins(9)
    for item in items:
        if isinstance(item, ConnectionReport):
            item.connection.counters[1].gaps = 1
    assert findings("auth-failure-loop", items) == []


def test_raw_tokens_in_the_clear() -> None:
    assert finding("cleartext-credentials", logins(1)).count == 1  # by its handshake, and once
    found = finding("cleartext-credentials", logins(1, handshakes=False))
    assert "password" in found.summary
    on = connection()
    assert findings("cleartext-credentials", [raw(on, 0, "GSSAPI", "GSSAPI AP-REQ"), report(on)]) == []


def test_who_logs_in_by_raw_tokens_knows_of_logins() -> None:
    on = connection()
    known = call(18, 0, {}, {"errorCode": 0, "apiKeys": []}, at=8, on=on)
    assert findings("request-before-sasl", [*refused(5), known, raw(on, 9)]) == []


def test_a_version_that_the_broker_lacks_is_no_missing_login() -> None:
    offers = [{"apiKey": key, "minVersion": 0, "maxVersion": 4} for key in (3, 18)]
    known = call(18, 0, {}, {"errorCode": 0, "apiKeys": offers})
    calls = refused(5)
    assert len(findings("request-before-sasl", [known, *calls])) == 1
    for each in calls:
        each.header = RequestHeader(3, 5, 1, "shop", 1, 10)
    assert findings("request-before-sasl", [known, *calls]) == []
    assert len(findings("unsupported-version", [known, *calls])) == 1
    # What is under way behind such a request goes unanswered as well (recorded with Kafka 4.3.1).
    behind = [call(3, 4, {"topics": []}, at=each.request.first.time / 1e9, on=each.connection) for each in calls]
    pairs = [each for pair in zip(calls, behind, strict=True) for each in pair]
    assert findings("request-before-sasl", [known, *pairs]) == []
    assert len(findings("request-before-sasl", [known, *behind])) == 1


def test_who_gets_in_at_other_times_may_have_slipped() -> None:
    """A client of which each login fails is out of work, also where it stops at the first."""
    wrong = login(0, "PLAIN", 58, "Authentication failed")
    assert finding("auth-failure-loop", [wrong]).severity == "error"
    works = call(3, 12, {"topics": []}, {"brokers": [], "topics": []}, at=1, on=connection(50_001))
    assert finding("auth-failure-loop", [wrong, works]).severity == "error"
    greets = call(17, 1, {"mechanism": "PLAIN"}, {"errorCode": 0, "mechanisms": []}, at=1, on=works.connection)
    assert finding("auth-failure-loop", [wrong, greets, works]).severity == "info"
    many = [login(at, "PLAIN", 58, "Authentication failed") for at in range(4)]
    assert finding("auth-failure-loop", [*many, greets, works]).severity == "error"
