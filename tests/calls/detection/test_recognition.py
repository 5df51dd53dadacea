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


BGP = b"\xff" * 16


@pytest.mark.parametrize(
    ("start", "protocol"),
    [
        # RFC 9110, 9.3, and RFC 5789; RFC 9113, 3.4.
        *((method + b" / HTTP/1.1\r\n", "http") for method in b"GET POST PUT HEAD DELETE OPTIONS PATCH TRACE".split()),
        (b"CONNECT broker:9092 HTTP/1.1\r\n", "http"),
        *((b"GET /", None), (b"GOT / HTTP/1.1\r\n", None), (b"GET /" + b"a" * 4091 + b" HTTP/1.1", None)),
        *(
            (b"HTTP/1.1 2", None),
            (b"HTTP/1.0 200 ", "http"),
            (b"HTTP/2.0 200 ", None),
            (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "http2"),
        ),
        # RFC 4253, 5: also servers that take both versions.
        *((b"SSH-1.99-Cisco-1.25\r\n", "ssh"), (b"SSH-3.0-x", None)),
        # RFC 5321, 3.1 and 4.1; RFC 959, 5.4; RFC 1939, 3; RFC 9051, 7.1.
        *((b"220 mail.example.org ready\r\n", "smtp"), (b"220-example.org ESMTP Postfix\r\n", "smtp")),
        *((b"EHLO client\r\n", "smtp"), (b"helo client\r\n", "smtp"), (b"220 (vsFTPd 3.0.3)\r\n", "ftp")),
        *((b"220 ready", None), (b"+OK POP3 ready\r\n", "pop3"), (b"* OK IMAP4rev2 ready\r\n", "imap")),
        # RESP; AMQP 1.0, 2.2, and its SASL layer.
        *(
            (b"*3\r\n$3\r\nSET\r\n", "redis"),
            (b"*3\r\n:1\r\n", None),
            (b"AMQP\3\1\0\0", "amqp"),
            (b"AMQP\4\1\0\0", None),
        ),
        # PostgreSQL: StartupMessage of protocol 3.0, and SSLRequest. MySQL: a handshake of protocol 10.
        *((b"\0\0\0\x26\0\3\0\0user\0", "postgresql"), (bytes.fromhex("0000000804d2162f"), "postgresql")),
        *(
            (b"\0\0\x10\x26\0\3\0\0user\0", None),
            (b"\x4a\0\0\0\x0a8.0.36\0", "mysql"),
            (b"\x4a\0\0\0\x098.0.36\0", None),
        ),
        # TPKT with X.224's connection request; SMB 2; BEP 3; RFC 3261, 7; RFC 2326.
        *((bytes.fromhex("030000130ee000000000000100080003000000"), "rdp"), (b"\0\0\0\x90\xfeSMB\x40\0", "smb")),
        *((b"\0\0\0\x90\xffSMB\x72\0", "smb"), (b"\0\0\0\x90\xfdSMB\x72\0", None)),
        *((b"\x13BitTorrent protocol", "bittorrent"), (b"INVITE sip:bob@example.org SIP/2.0\r\n", "sip")),
        *((b"SIP/2.0 200 OK\r\n", "sip"), (b"OPTIONS rtsp://example.org RTSP/1.0\r\n", "rtsp")),
        (b"RTSP/1.0 200 OK\r\n", "rtsp"),
        # RFC 4271, 4.1: a marker, the length, and one of five types.
        *((BGP + b"\x00\x1d\x01", "bgp"), (BGP + b"\x10\x00\x05", "bgp"), (BGP + b"\x11\x00\x01", None)),
        *((BGP + b"\x00\x1d\x00", None), (BGP + b"\x00\x1d\x06", None), (b"\xff" * 15 + b"\0\x1d\1", None)),
    ],
)
def test_the_beginnings_of_each_protocol_and_what_only_resembles_them(start: bytes, protocol: str | None) -> None:
    known = recognise(start)
    assert (known and known[0]) == protocol


@pytest.mark.parametrize(
    ("start", "evidence"),
    [
        # RFC 8446, 5.1 and 5.2, and D.4; RFC 6101 for SSL 3.0.
        ("1403030001", "TLS 1.2 change cipher spec"),
        ("1503000002", "SSL 3.0 alert"),
        ("1603020200", "TLS 1.1 handshake"),
        ("1703044800", "TLS 1.3 application data"),
        ("1703044801", None),
        ("17030448", None),
        ("1303030001", None),
        ("1803030001", None),
        ("1602ff0001", None),
        ("1603050001", None),
    ],
)
def test_tls_records(start: str, evidence: str | None) -> None:
    """They have one of four types, one of five versions, and 2^14 + 2,048 bytes at most (RFC 5246, 6.2.3)."""
    assert recognise(bytes.fromhex(start)) == (evidence and ("tls", f"begins with a {evidence} record"))


@pytest.mark.parametrize("word", b"ruok stat srvr mntr conf envi dump cons isro wchs".split())
def test_four_letter_words_of_zookeeper(word: bytes) -> None:
    """A line end may follow, and nothing else."""
    assert recognise(word) == recognise(word + b"\r\n") == ("zookeeper", f"sends the four-letter word {word.decode()}")
    assert recognise(word + b"\r\n\n") is None


@pytest.mark.parametrize(("size", "known"), [(43, False), (44, True), (45, True), (46, False)])
def test_connect_requests_of_zookeeper(size: int, known: bool) -> None:
    """From version 3.5 on they end with whether to read only."""
    start = struct.pack(">i", size) + ZOOKEEPER_CONNECT[4:]
    found = ("zookeeper", "begins with a connect request") if known else None
    assert recognise(start) == found
    assert recognise(start[:44]) == found
    assert recognise(start[:43]) is None
    for at in (7, 31):
        assert recognise(start[:at] + b"\1" + start[at + 1 :]) is None


@pytest.mark.parametrize(("size", "known"), [(35, False), (36, True), (37, True), (38, False)])
def test_answers_to_connect_requests_of_zookeeper(size: int, known: bool) -> None:
    start = struct.pack(">i", size) + ZOOKEEPER_CONNECTED[4:]
    assert recognise(start) == (("zookeeper", "begins with the answer to a connect request") if known else None)
    for at in (7, 23):
        assert recognise(start[:at] + b"\1" + start[at + 1 :]) is None


def test_control_characters_of_the_evidence_are_escaped() -> None:
    assert recognise(b"AMQP\0\0\x09\1") == ("amqp", r"begins with AMQP\x00")
    assert recognise(BGP + b"\0\x1d\1") == ("bgp", "begins with " + r"\\xff" * 16 + r"\x00\x1d\x01")
    assert recognise(b"220 " + b"a" * 40 + b" ESMTP") == ("smtp", "begins with 220 " + "a" * 20)


@pytest.mark.parametrize(("length", "found"), [(47, 47), (107, 107), (108, None)])
def test_a_text_header_has_107_bytes_at_most(length: int, found: int | None) -> None:
    """The PROXY protocol, 2.1."""
    line = b"PROXY " + b"x" * (length - 8) + b"\r\n"
    assert proxy_header_length(line + b"more") == found
    assert proxy_header_length(line[:46]) == 0


def test_a_text_header_without_an_end_is_none() -> None:
    assert proxy_header_length(b"PROXY " + b"x" * 100) == 0
    assert proxy_header_length(b"PROXY " + b"x" * 101) is None


def test_a_binary_header_says_its_length_in_its_last_two_bytes() -> None:
    """The PROXY protocol, 2.2: of LOCAL it may be 0."""
    header = b"\r\n\r\n\x00\r\nQUIT\n\x20\x00\x00\x00"
    assert [proxy_header_length(header[:count]) for count in (12, 15, 16)] == [0, 0, 16]
    assert proxy_header_length(header[:14] + b"\x01\x02") == 16 + 258
    assert proxy_header_length(b"\r\n\r\n\x00\r\nQUIZ\n") is None


def test_the_mechanism_stands_at_the_beginning_of_a_token() -> None:
    """RFC 2743, 3.1: a tag, a length of up to five bytes, and the object identifier, here of 11."""
    oid = bytes.fromhex("06092a864886f712010202")
    assert is_kerberos_token(b"\x60" + bytes(8) + oid)
    assert not is_kerberos_token(b"\x60" + bytes(9) + oid)
    assert not is_kerberos_token(b"\x61\x10" + oid)
