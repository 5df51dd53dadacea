from kafkasniff.calls.call import Call
from tests.diagnose.made import call, connection, finding, findings

METADATA = {"topics": None}


def handshake(mechanism: str, code: int = 0, protocol: str = "SASL_PLAINTEXT") -> Call:
    answer = {"errorCode": code, "mechanisms": ["PLAIN"]}
    return call(17, 1, {"mechanism": mechanism}, answer, security_protocol=protocol)


def test_cleartext_credentials() -> None:
    assert findings("cleartext-credentials", [handshake("SCRAM-SHA-256")]) == []
    assert findings("cleartext-credentials", [handshake("PLAIN", protocol="SASL_SSL")]) == []
    assert findings("cleartext-credentials", [handshake("PLAIN", code=33)]) == []
    assert "password" in finding("cleartext-credentials", [handshake("PLAIN")]).summary
    assert "token" in finding("cleartext-credentials", [handshake("OAUTHBEARER")]).summary


def refused(count: int, ended_direction: int = 1) -> list[Call]:
    calls = []
    for index in range(count):
        on = connection(50_000 + index)
        on.ended_direction = ended_direction
        calls.append(call(3, 1, METADATA, at=index, on=on))
    return calls


def test_request_before_sasl() -> None:
    assert findings("request-before-sasl", refused(1)) == []
    found = finding("request-before-sasl", refused(2))
    assert found.subject == {"clientId": "shop", "server": "10.0.0.2:9092"}


def test_who_is_served_knows_how_to_log_in() -> None:
    served = call(3, 1, METADATA, {"brokers": [], "controllerId": 1, "topics": []}, at=9)
    assert findings("request-before-sasl", [*refused(5), served]) == []
    assert findings("request-before-sasl", [handshake("PLAIN"), *refused(5)]) == []


def test_who_hangs_up_was_not_refused() -> None:
    assert findings("request-before-sasl", refused(5, ended_direction=0)) == []
