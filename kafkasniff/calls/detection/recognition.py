"""Names what is not Kafka by its first bytes, and finds the end of a PROXY protocol header."""

import re

from kafkasniff.tcp.events import Endpoint

FIRST_BYTES = 1100
"""Bytes from which a request header, with the longest client id, can be judged."""

HTTP_METHODS = (b"GET ", b"POST ", b"PUT ", b"HEAD ", b"DELETE ", b"OPTIONS ", b"PATCH ", b"CONNECT ", b"TRACE ")
ZOOKEEPER_WORDS = (b"ruok", b"stat", b"srvr", b"mntr", b"conf", b"envi", b"dump", b"cons", b"isro", b"wchs")
PROXY_V1 = b"PROXY "
PROXY_V2 = b"\r\n\r\n\x00\r\nQUIT\n"
KERBEROS_OID = bytes.fromhex("06092a864886f712010202")
TLS_VERSIONS = {0x0300: "SSL 3.0", 0x0301: "TLS 1.0", 0x0302: "TLS 1.1", 0x0303: "TLS 1.2", 0x0304: "TLS 1.3"}
TLS_RECORDS = {0x14: "change cipher spec", 0x15: "alert", 0x16: "handshake", 0x17: "application data"}
# Compiled when they are needed, which in most captures they never are.
BEGINNINGS = (
    ("ssh", rb"SSH-[12]\."),
    ("http", rb"HTTP/[01]\.[0-9] [0-9]{3}"),
    ("http2", rb"PRI \* HTTP/2\.0\r\n"),
    ("smtp", rb"(?i)220[ -].*(SMTP|ESMTP|mail)|(EHLO|HELO) "),
    ("ftp", rb"(?i)220[ -].*FTP"),
    ("pop3", rb"\+OK "),
    ("imap", rb"\* OK "),
    ("redis", rb"\*[0-9]{1,4}\r\n\$[0-9]{1,9}\r\n"),
    ("amqp", rb"AMQP[\x00-\x03]"),
    ("postgresql", rb"(?s)\x00\x00[\x00-\x0f].\x00\x03\x00\x00[a-z]|\x00\x00\x00\x08\x04\xd2\x16\x2f"),
    ("mysql", rb"(?s).\x00\x00\x00\x0a[0-9]+\.[0-9]+"),
    ("rdp", rb"(?s)\x03\x00\x00.\x0e?\xe0"),
    ("smb", rb"(?s)\x00...[\xff\xfe]SMB"),
    ("bittorrent", rb"\x13BitTorrent protocol"),
    ("sip", rb"(SIP/2\.0 |[A-Z]+ sip:)"),
    ("rtsp", rb"RTSP/1\.0 |[A-Z_]+ rtsp:"),
    ("bgp", rb"(?s)\xff{16}[\x00-\x10][\x00-\xff][\x01-\x05]"),
)


def recognise(start: bytes) -> tuple[str, str] | None:
    """Name the protocol that a stream's first bytes belong to, with the evidence; None when they tell nothing."""
    if len(start) >= 5 and start[0] in TLS_RECORDS and int.from_bytes(start[1:3], "big") in TLS_VERSIONS:
        version = TLS_VERSIONS[int.from_bytes(start[1:3], "big")]
        if int.from_bytes(start[3:5], "big") <= (16 << 10) + 2048:
            return "tls", f"begins with a {version} {TLS_RECORDS[start[0]]} record"
    if start.startswith(HTTP_METHODS) and b" HTTP/" in start[:4096]:
        return "http", f"begins with {start.split(b' ', 1)[0].decode()}"
    if start[:4] in ZOOKEEPER_WORDS and len(start) <= 6:
        return "zookeeper", f"sends the four-letter word {start[:4].decode()}"
    for name, pattern in BEGINNINGS:
        match = re.match(pattern, start)
        if match:
            shown = match.group()[:24].decode("ascii", "backslashreplace").encode("unicode_escape").decode()
            return name, f"begins with {shown}"
    return zookeeper(start)


def zookeeper(start: bytes) -> tuple[str, str] | None:
    """Recognise ZooKeeper's connect request and the answer: protocol version 0, and a password of 16 bytes."""
    size = int.from_bytes(start[0:4], "big")
    if start[4:8] != bytes(4):
        return None
    if size in (44, 45) and len(start) >= 44 and start[28:32] == b"\x00\x00\x00\x10":
        return "zookeeper", "begins with a connect request"
    if size in (36, 37) and start[20:24] == b"\x00\x00\x00\x10":
        return "zookeeper", "begins with the answer to a connect request"
    return None


def begins_with_proxy_header(data: bytes) -> bool:
    """Tell whether a stream's first bytes, at least one, may be those of a PROXY header."""
    return proxy_header_length(data) is not None


def proxy_header_length(start: bytes) -> int | None:
    """Give the length of a PROXY protocol header (v1 text, v2 binary) at the start; None where there is none.

    0 means that it is not yet whole.
    """
    if start.startswith(PROXY_V2):
        return 16 + int.from_bytes(start[14:16], "big") if len(start) >= 16 else 0
    if start.startswith(PROXY_V1):
        end = start.find(b"\r\n", 0, 107)
        return end + 2 if end >= 0 else (0 if len(start) < 107 else None)
    return 0 if start and (PROXY_V1.startswith(start) or PROXY_V2.startswith(start)) else None


def is_kerberos_token(frame: bytes) -> bool:
    """Tell whether a frame's content is GSSAPI's first token with the Kerberos mechanism (RFC 2743, 3.1)."""
    return frame[:1] == b"\x60" and KERBEROS_OID in frame[:20]


def evidence_of(place: int, client: Endpoint) -> str:
    """Say that a request at a stream position proves that a connection is Kafka."""
    return f"a request at byte {place} of what {client} sent, and more"
