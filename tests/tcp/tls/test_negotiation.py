"""Handshakes as OpenSSL makes them are in test_stream.py; here are those that lead to no keys."""

import pytest

from kafkasniff.tcp.tls.context import TlsContext
from kafkasniff.tcp.tls.handshake import CLIENT_HELLO, SERVER_HELLO
from kafkasniff.tcp.tls.negotiation import Negotiation
from tests.tcp.tls.hellos import CLIENT_HELLO_MESSAGE, SERVER_HELLO_MESSAGE

CLIENT_RANDOM = CLIENT_HELLO_MESSAGE[6:38]
SUITE_AT = 4 + 2 + 32 + 1


def server_hello(version: int, suite: int) -> bytes:
    """A ServerHello without extensions."""
    body = bytearray(SERVER_HELLO_MESSAGE[4 : SUITE_AT + 3])
    body[:2] = version.to_bytes(2, "big")
    body[SUITE_AT - 4 : SUITE_AT - 2] = suite.to_bytes(2, "big")
    return bytes(body)


def negotiate(answer: bytes, client: int = 0) -> tuple[Negotiation, TlsContext]:
    context = TlsContext()
    negotiation = Negotiation(context)
    negotiation.take(client, CLIENT_HELLO, CLIENT_HELLO_MESSAGE[4:])
    negotiation.take(1 - client, SERVER_HELLO, answer)
    return negotiation, context


def test_both_hellos_are_needed() -> None:
    negotiation = Negotiation(TlsContext())
    assert negotiation.lacking == "its ClientHello or ServerHello was not seen"
    negotiation.take(0, CLIENT_HELLO, CLIENT_HELLO_MESSAGE[4:])
    assert not negotiation.find_keys()
    negotiation.take(1, SERVER_HELLO, SERVER_HELLO_MESSAGE[4:])
    assert not negotiation.find_keys()
    assert negotiation.lacking == "no secrets in the key log"


@pytest.mark.parametrize(
    ("version", "suite"),
    [(0x0302, 0xC013), (0x0301, 0xC013), (0x0303, 0x0041), (0x0303, 0x0005), (0x0303, 0x1301), (0x0304, 0xC02F)],
    ids=["TLS 1.1", "TLS 1.0", "Camellia", "RC4", "suite of TLS 1.3", "suite of TLS 1.2"],
)
def test_what_cannot_be_decrypted_says_so(version: int, suite: int) -> None:
    negotiation, _ = negotiate(server_hello(version, suite))
    assert not negotiation.find_keys()
    assert negotiation.description.failure == "cannot be decrypted"
    assert negotiation.description.version_number == version


@pytest.mark.parametrize("client", [0, 1])
def test_finds_keys_when_their_secrets_come(client: int) -> None:
    negotiation, context = negotiate(SERVER_HELLO_MESSAGE[4:], client)
    assert not negotiation.find_keys()
    names = ("CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0")
    for name in names:
        assert not negotiation.find_keys()
        context.key_log.add(f"{name} {CLIENT_RANDOM.hex()} {'11' * 32}\n".encode())
    assert negotiation.find_keys()
    assert negotiation.openers is not None


def test_a_second_hello_changes_nothing() -> None:
    negotiation, _ = negotiate(SERVER_HELLO_MESSAGE[4:])
    negotiation.take(1, SERVER_HELLO, server_hello(0x0303, 0xC02F))
    assert negotiation.description.version == "TLS 1.3"
