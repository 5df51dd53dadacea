"""Who a client is, told by ApiVersions (KIP-511) and logins (KIP-43, KIP-152), laid out by hand."""

import struct

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.identity import RAW_TOKEN_LIMIT, Identity
from kafkasniff.calls.frame import Frame
from kafkasniff.protocol.headers import read_request_header
from tests.calls.hand_made import arrival, connection, metadata_request, text


def frame(content: bytes) -> Frame:
    return Frame(len(content), content, arrival(1), arrival(1), 0)


def api_versions(name: bytes, version: bytes) -> bytes:
    """ApiVersions v3: two compact strings and no tagged fields, also in the header."""
    compact = b"".join(bytes([len(each) + 1]) + each for each in (name, version))
    return struct.pack(">hhi", 18, 3, 1) + text("shop") + b"\0" + compact + b"\0"


def handshake(version: int, mechanism: str = "PLAIN") -> bytes:
    return struct.pack(">hhi", 17, version, 2) + text("shop") + text(mechanism)


def take(identity: Identity, request: bytes) -> None:
    identity.take_request(read_request_header(request), frame(request))


def shook(version: int, error: int) -> Call:
    """Give a handshake with its answer: the error, and no mechanisms."""
    request, of = handshake(version), connection()
    answer = frame(struct.pack(">ihi", 2, error, 0))
    header = read_request_header(request)
    return Call(of, "client", "server", frame(request), answer, header, "answered", arrival(2))


def test_software_is_what_api_versions_says() -> None:
    identity = Identity(show_secrets=False, begun=True, raw_sasl=False)
    assert identity.software == (None, None)
    for _ in range(2):  # what is remembered of a body is the same
        take(identity, api_versions(b"librdkafka", b"2.6.1"))
        assert identity.software == ("librdkafka", "2.6.1")
    # A body that cannot be read leaves what is known.
    take(identity, api_versions(b"librdkafka", b"2.6.1")[:-3])
    assert identity.software == ("librdkafka", "2.6.1")


@pytest.mark.parametrize(("version", "error", "raw"), [(0, 0, True), (0, 33, False), (1, 0, False)])
def test_tokens_have_no_headers_behind_an_old_handshake_that_is_accepted(version: int, error: int, raw: bool) -> None:
    identity = Identity(show_secrets=False, begun=True, raw_sasl=False)
    assert identity.security == "PLAINTEXT"
    take(identity, handshake(version))
    # Before the answer is seen, tokens may follow one of version 0.
    assert identity.is_logging_in() is (version == 0)
    identity.take_call(shook(version, error))
    assert identity.is_logging_in() is raw
    assert identity.security == "SASL_PLAINTEXT"


def test_a_listener_without_sasl_refuses_the_handshake() -> None:
    """KafkaApis answers 34 ILLEGAL_SASL_STATE; a listener with SASL does so only to who is logged in already."""
    identity, call = Identity(show_secrets=False, begun=True, raw_sasl=False), shook(1, 34)
    take(identity, handshake(1))
    call.security_protocol = identity.security
    identity.take_call(call)
    assert (identity.security, call.security_protocol) == ("PLAINTEXT", "PLAINTEXT")
    logged_in = Identity(show_secrets=False, begun=True, raw_sasl=True)
    token = b"\0alice\0secret"
    logged_in.take_token(frame(token), "request")
    logged_in.settle(3, True)
    logged_in.take_call(shook(1, 34))
    assert (logged_in.security, logged_in.who()) == ("SASL_PLAINTEXT", "User:alice")


def test_a_request_says_that_no_token_follows() -> None:
    identity = Identity(show_secrets=False, begun=True, raw_sasl=True)
    assert identity.sends_token(frame(b"\0alice\0secret"))
    assert not identity.sends_token(frame(metadata_request(1)[4:]))
    assert not identity.is_logging_in()


def test_a_token_names_whom_it_is_about() -> None:
    identity = Identity(show_secrets=False, begun=True, raw_sasl=True)
    token = identity.take_token(frame(b"\0alice\0secret"), "request")
    assert token is not None
    assert (token.mechanism, token.principal) == ("PLAIN", "User:alice")
    assert "secret" not in str(token.fields)
    assert identity.take_token(frame(bytes(RAW_TOKEN_LIMIT + 1)), "request") is None


def in_clear(begun: bool = True, raw_sasl: bool = False) -> Identity:
    return Identity(show_secrets=False, begun=begun, raw_sasl=raw_sasl)


@pytest.mark.parametrize(
    ("begun", "complete", "principal"),
    [(True, True, "User:ANONYMOUS"), (False, True, None), (True, False, None), (False, False, None)],
)
def test_who_is_answered_without_a_login_is_nobody_where_all_was_seen(
    begun: bool, complete: bool, principal: str | None
) -> None:
    identity = in_clear(begun)
    # ApiVersions is answered before a login too.
    identity.settle(18, complete)
    assert (identity.settled, identity.who()) == (False, None)
    identity.settle(3, complete)
    assert (identity.settled, identity.who()) == (True, principal)
    # What comes later tells nothing more.
    identity.settle(3, True)
    assert identity.who() == principal


@pytest.mark.parametrize("request_bytes", [handshake(1), struct.pack(">hhi", 36, 0, 2) + text("shop") + bytes(4)])
def test_behind_a_login_nobody_is_anonymous(request_bytes: bytes) -> None:
    identity = in_clear()
    take(identity, request_bytes)
    assert identity.security == "SASL_PLAINTEXT"
    identity.settle(3, True)
    assert identity.who() is None


def test_tokens_without_headers_are_a_login_from_the_first_byte_on() -> None:
    assert (in_clear().security, in_clear().is_logging_in()) == ("PLAINTEXT", False)
    identity = in_clear(raw_sasl=True)
    assert (identity.security, identity.is_logging_in()) == ("SASL_PLAINTEXT", True)
    assert identity.take_token(frame(b"\0alice\0secret"), "request") is not None
    assert (identity.raw_tokens, identity.who()) == (True, None)
    identity.settle(3, True)
    assert identity.who() == "User:alice"


def test_a_token_that_comes_later_opens_the_question_again() -> None:
    identity = in_clear()
    identity.settle(3, True)
    take(identity, handshake(0))
    identity.take_token(frame(b"\0alice\0secret"), "request")
    assert (identity.settled, identity.security) == (False, "SASL_PLAINTEXT")
    identity.settle(3, True)
    assert identity.who() == "User:alice"


def test_a_broker_sends_no_name() -> None:
    identity = in_clear(raw_sasl=True)
    token = identity.take_token(frame(b"\0alice\0secret"), "response")
    assert token is not None
    assert token.principal is None


def test_a_token_has_64_kib_at_most() -> None:
    identity = in_clear(raw_sasl=True)
    assert identity.take_token(frame(bytes(64 << 10)), "request") is not None


@pytest.mark.parametrize("length", [3, 126, 249, 250, 255])
def test_software_of_any_length_is_told(length: int) -> None:
    """Up to 256 bytes of a body are remembered: 249 of a version, and the name with its length."""
    varint = bytes([length + 1]) if length < 127 else bytes([(length + 1) & 127 | 128, (length + 1) >> 7])
    for version in (b"v" * length, b"w" * length, b"v" * length):
        identity = in_clear()
        take(identity, struct.pack(">hhi", 18, 3, 1) + text("shop") + b"\0\4app" + varint + version + b"\0")
        assert identity.software == ("app", version.decode())


def test_versions_without_software_and_cut_messages_tell_none() -> None:
    identity = in_clear()
    for version in (0, 1, 2):
        take(identity, struct.pack(">hhi", 18, version, 1) + text("shop"))
    assert identity.software == (None, None)
    content = api_versions(b"librdkafka", b"2.6.1")
    # Of a message of 80 bytes only the beginning was kept.
    identity.take_request(read_request_header(content), Frame(80, content, arrival(1), arrival(1), 0))
    assert identity.software == (None, None)


def test_a_call_that_says_nothing_of_a_login_changes_nothing() -> None:
    identity, of = in_clear(raw_sasl=True), connection()
    identity.take_call(Call(of, "client", "server", None, frame(b"\0\0\0\1"), None, "request-not-captured", arrival(2)))
    request = handshake(0)
    header = read_request_header(request)
    identity.take_call(Call(of, "client", "server", frame(request), None, header, "unanswered", arrival(2)))
    assert identity.is_logging_in()
