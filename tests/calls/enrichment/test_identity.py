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
