import random
from pathlib import Path
from ssl import TLSVersion

import pytest

from kafkasniff.tcp.tls.handshake import (
    CLIENT_HELLO,
    HandshakeError,
    MessageBuffer,
    application_protocols,
    read_certificate_message,
    read_client_hello,
    read_encrypted_extensions,
    read_server_hello,
    read_session_ticket,
)
from tests.tcp.tls.hellos import CLIENT_HELLO_MESSAGE, SERVER_HELLO_MESSAGE
from tests.tcp.tls.openssl import CLIENT, Peers


def test_reads_the_hellos_of_rfc_8448() -> None:
    [(kind, body)] = MessageBuffer().push(CLIENT_HELLO_MESSAGE)
    hello = read_client_hello(body)
    assert kind == CLIENT_HELLO
    assert hello.random.hex() == "cb34ecb1e78163ba1c38c6dacb196a6dffa21a8d9912ec18a2ef6283024dece7"
    assert (hello.server_name, hello.session_id, hello.encrypt_then_mac) == ("server", b"", False)
    answer = read_server_hello(SERVER_HELLO_MESSAGE[4:])
    assert (answer.version, answer.cipher_suite) == (0x0304, 0x1301)


def test_joins_messages_over_records() -> None:
    buffer = MessageBuffer()
    stream = CLIENT_HELLO_MESSAGE + SERVER_HELLO_MESSAGE
    found = [message for byte in stream for message in buffer.push(bytes([byte]))]
    assert found == [(1, CLIENT_HELLO_MESSAGE[4:]), (2, SERVER_HELLO_MESSAGE[4:])]


def test_refuses_a_message_of_an_absurd_size() -> None:
    with pytest.raises(HandshakeError):
        MessageBuffer().push(b"\x01\xff\xff\xff")


def test_reads_alpn_as_openssl_writes_it(tmp_path: Path) -> None:
    peers = Peers(tmp_path, TLSVersion.TLSv1_3)
    peers.client.set_alpn_protocols(["kafka", "http/1.1"])
    hello = read_client_hello(peers.connect([]).first_record(CLIENT)[9:])
    assert application_protocols(hello.extensions) == ["kafka", "http/1.1"]


def test_only_a_handshake_error_leaves_a_reader() -> None:
    source = random.Random(8)
    readers = [
        read_client_hello,
        read_server_hello,
        read_encrypted_extensions,
        read_session_ticket,
        lambda body: read_certificate_message(body, 0x0303),
        lambda body: read_certificate_message(body, 0x0304),
        lambda body: application_protocols(read_client_hello(body).extensions),
        lambda body: read_client_hello(body).server_name,
    ]
    bodies = [CLIENT_HELLO_MESSAGE[4:], SERVER_HELLO_MESSAGE[4:]]
    for _ in range(3_000):
        body = bytearray(source.choice(bodies))
        for _ in range(source.randrange(1, 4)):
            body[source.randrange(len(body))] = source.randrange(256)
        cut = bytes(body[: source.randrange(len(body) + 1)])
        for reader in readers:
            try:
                reader(cut)
            except HandshakeError:
                continue
