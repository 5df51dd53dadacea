"""First bytes as the protocols' own specifications have them."""

import struct

import pytest

from kafkasniff.calls.detection.recognition import is_kerberos_token, proxy_header_length, recognise

ZOOKEEPER_CONNECT = struct.pack(">iiqiqi", 44, 0, 0, 30_000, 0, 16) + bytes(16)

ZOOKEEPER_CONNECTED = struct.pack(">iiiqi", 36, 0, 30_000, 0x1000_0000_0001, 16) + bytes(16)


@pytest.mark.parametrize(
    ("start", "protocol"),
    [
        (bytes.fromhex("16030100f8010000f40303"), "tls"),
        (bytes.fromhex("15030300020246"), "tls"),
        (b"GET / HTTP/1.1\r\nHost: broker:9092\r\n\r\n", "http"),
        (b"HTTP/1.1 400 Bad Request\r\n", "http"),
        (b"SSH-2.0-OpenSSH_9.2p1 Debian\r\n", "ssh"),
        (b"ruok", "zookeeper"),
        (ZOOKEEPER_CONNECT, "zookeeper"),
        (ZOOKEEPER_CONNECTED, "zookeeper"),
        (b"*1\r\n$4\r\nPING\r\n", "redis"),
        (b"AMQP\x00\x00\x09\x01", "amqp"),
    ],
)
def test_protocols_by_their_first_bytes(start: bytes, protocol: str) -> None:
    known = recognise(start)
    assert known is not None
    assert known[0] == protocol


def test_the_evidence_is_what_it_begins_with() -> None:
    assert recognise(b"GET /metrics HTTP/1.1\r\n") == ("http", "begins with GET")
    assert recognise(b"\x16\x03\x01\x02\x00\x01") == ("tls", "begins with a TLS 1.0 handshake record")
    assert recognise(b"ruok") == ("zookeeper", "sends the four-letter word ruok")


def test_a_kafka_request_is_none_of_them() -> None:
    assert recognise(bytes.fromhex("00000014001200000000000100047465737400000000")) is None


def test_the_proxy_protocol_header_is_measured() -> None:
    line = b"PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\n"
    assert proxy_header_length(line + b"\x00\x00\x00\x14") == 47
    binary = b"\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c" + bytes(12)
    assert proxy_header_length(binary + b"rest") == 28
    assert proxy_header_length(b"PROXY TCP4 192.") == 0
    assert proxy_header_length(b"P") == proxy_header_length(binary[:5]) == 0
    assert proxy_header_length(b"POST ") is proxy_header_length(b"") is None
    assert proxy_header_length(b"\x00\x00\x00\x14") is None


def test_the_kerberos_mechanism_marks_a_token() -> None:
    assert is_kerberos_token(bytes.fromhex("608202b206092a864886f71201020201006e82"))
    assert not is_kerberos_token(bytes.fromhex("605b06062b0601050502a0513081"))


def test_null_values_of_kafka_are_no_bgp() -> None:
    assert recognise(b"\xff" * 16 + b"\x00\x1d\x01\x04") is not None
    assert recognise(b"\xff" * 16 + b"\x00\x00\x00\x00\x00\x00\x00\x2a") is None
