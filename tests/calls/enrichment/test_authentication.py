import struct

from kafkasniff.calls.enrichment.authentication import ANONYMOUS, Authentication
from kafkasniff.protocol.headers import RequestHeader, read_request_header
from tests.calls.hand_made import text

PLAIN = b"\0alice\0alice-secret"
METADATA = 3


def handshake(mechanism: str) -> tuple[RequestHeader, bytes]:
    data = struct.pack(">hhi", 17, 1, 1) + text("shop") + text(mechanism)
    return read_request_header(data), data


def authenticate(token: bytes) -> tuple[RequestHeader, bytes]:
    """SaslAuthenticate v0."""
    data = struct.pack(">hhi", 36, 0, 2) + text("shop") + struct.pack(">i", len(token)) + token
    return read_request_header(data), data


def answer(token: bytes, error_code: int = 0) -> bytes:
    return struct.pack(">ihhi", 2, error_code, -1, len(token)) + token


def begun(mechanism: str, show_secrets: bool = False) -> Authentication:
    authentication = Authentication(show_secrets)
    authentication.begin(*handshake(mechanism))
    return authentication


def test_an_empty_answer_accepts_a_password() -> None:
    authentication = begun("PLAIN")
    entries = authentication.authenticate(*authenticate(PLAIN), answer(b""))
    assert authentication.principal == "User:alice"
    fields = {"authzid": "", "authcid": "alice", "passwd": "***"}
    value = {"saslMechanism": "PLAIN", "principal": "User:alice", **fields}
    assert entries == (
        {"where": "request", "path": "authBytes", "type": "PLAIN credentials", "version": None, "value": value},
    )


def test_secrets_are_shown_on_demand() -> None:
    [entry] = begun("PLAIN", show_secrets=True).authenticate(*authenticate(PLAIN), answer(b""))
    assert entry["value"]["passwd"] == "alice-secret"


def test_a_login_that_fails_names_nobody() -> None:
    authentication = begun("PLAIN")
    authentication.authenticate(*authenticate(PLAIN), answer(b"", error_code=58))
    assert authentication.principal is None


def test_a_login_without_its_answer_names_nobody() -> None:
    authentication = begun("PLAIN")
    assert len(authentication.authenticate(*authenticate(PLAIN), None)) == 1
    assert authentication.principal is None


def test_scram_ends_with_the_verifier() -> None:
    authentication = begun("SCRAM-SHA-256")
    first = authentication.authenticate(*authenticate(b"n,,n=bob,r=abc"), answer(b"r=abcdef,s=c2FsdA==,i=4096"))
    assert [entry["type"] for entry in first] == ["SCRAM client-first", "SCRAM server-first"]
    assert authentication.principal is None
    authentication.authenticate(*authenticate(b"c=biws,r=abcdef,p=cHJvb2Y="), answer(b"v=dmVyaWZpZXI="))
    assert authentication.principal == "User:bob"


def test_an_error_of_scram_names_nobody() -> None:
    authentication = begun("SCRAM-SHA-256")
    authentication.authenticate(*authenticate(b"n,,n=bob,r=abc"), answer(b"r=abcdef,s=c2FsdA==,i=4096"))
    authentication.authenticate(*authenticate(b"c=biws,r=abcdef,p=cHJvb2Y="), answer(b"e=invalid-proof"))
    assert authentication.principal is None


def test_logging_in_again_changes_the_principal() -> None:
    authentication = begun("PLAIN")
    authentication.authenticate(*authenticate(PLAIN), answer(b""))
    authentication.begin(*handshake("SCRAM-SHA-256"))
    assert authentication.principal == "User:alice"
    authentication.authenticate(*authenticate(b"n,,n=bob,r=abc"), answer(b"r=abcdef,s=c2FsdA==,i=4096"))
    assert authentication.principal == "User:alice"
    authentication.authenticate(*authenticate(b"c=biws,r=abcdef,p=cHJvb2Y="), answer(b"v=dmVyaWZpZXI="))
    assert authentication.principal == "User:bob"


def test_the_mechanism_is_told_by_the_token_when_the_handshake_is_missing() -> None:
    authentication = Authentication(show_secrets=False)
    authentication.authenticate(*authenticate(PLAIN), answer(b""))
    assert authentication.principal == "User:alice"


def test_raw_tokens_count_once_a_call_is_answered() -> None:
    authentication = begun("PLAIN")
    assert authentication.read_raw(True, PLAIN).fields["passwd"] == "***"
    assert authentication.read_raw(False, b"").kind == "PLAIN empty token"
    assert authentication.principal is None
    assert authentication.settle(METADATA, in_clear=False)
    assert authentication.principal == "User:alice"


def test_nobody_needs_a_login_who_is_answered_in_clear() -> None:
    authentication = Authentication(show_secrets=False)
    assert not authentication.settle(18, in_clear=True)
    assert authentication.principal is None
    assert authentication.settle(METADATA, in_clear=True)
    assert authentication.principal == ANONYMOUS == "User:ANONYMOUS"


def test_nobody_is_anonymous_on_a_connection_seen_in_part() -> None:
    authentication = Authentication(show_secrets=False)
    assert authentication.settle(METADATA, in_clear=False)
    assert authentication.principal is None


def test_what_does_not_decode_changes_nothing() -> None:
    authentication = begun("PLAIN")
    header, data = authenticate(PLAIN)
    assert authentication.authenticate(header, data[: header.end + 2], answer(b"")) == ()
    assert len(authentication.authenticate(header, data, b"\0\0")) == 1
    assert authentication.principal is None
