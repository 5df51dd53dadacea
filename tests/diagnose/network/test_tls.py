"""Alerts by RFC 8446, 6.2; sizes of Finished messages by 4.4.4."""

import datetime
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.tcp.tls.description import Alert, TlsDescription
from tests.diagnose.made import NOON, SECOND, connection, finding, findings, report

RULE = "tls-handshake-failure"
TLS_1_2, TLS_1_3 = 0x0303, 0x0304


def handshake(index: int, tls: TlsDescription, ended: int, every: float) -> ConnectionReport:
    on = connection(50_000 + index, begin=index * every, end=index * every + 0.1)
    made = report(on, "tls", ended_direction=ended, tls=tls)
    made.calls = 0
    return made


def many(count: int, every: float = 1, ended: int = 1, **known: Any) -> list[ConnectionReport]:
    return [handshake(index, TlsDescription(**known), ended, every) for index in range(count)]


def certificate(expires: datetime.datetime, *hosts: str) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "broker")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(expires - datetime.timedelta(days=9)).not_valid_after(expires)
    names = x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts])
    return (
        builder.add_extension(names, critical=False).sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)
    )


def test_alerts_in_the_clear() -> None:
    known = {"version_number": TLS_1_2, "alert": Alert(from_client=True, code=45)}
    assert findings(RULE, many(1, **known)) == []
    found = finding(RULE, many(2, **known))
    assert found.subject.items() >= {"client": ["10.0.0.1:50000", "10.0.0.1:50001"], "server": "10.0.0.2:9092"}.items()
    assert "the client ended it with the alert certificate_expired" in found.summary
    assert findings(RULE, many(2, every=61, **known)) == []
    assert finding(RULE, many(20, **known)).subject["client"] == "10.0.0.1"


@pytest.mark.parametrize(
    ("protected", "ended", "fails"),
    [
        ((80, 24), 1, True),  # The server's alert behind the client's Finished.
        ((80, 24), 0, True),
        ((80, 0), 1, True),
        ((80, 0), 0, False),  # A probe.
        ((80, 300), 1, False),  # Tickets, and so an accepted handshake.
        ((30, 0), 0, True),  # An alert in place of a Finished message.
        ((58, 0), 0, False),
        ((0, 0), 0, False),  # A scanner.
        ((0, 0), 1, True),
    ],
)
def test_what_tls_1_3_shows(protected: tuple[int, int], ended: int, fails: bool) -> None:
    found = findings(RULE, many(2, ended=ended, version_number=TLS_1_3, protected=protected))
    assert bool(found) == fails


def test_the_server_closes_within_a_handshake_of_tls_1_2() -> None:
    assert findings(RULE, many(2, version_number=TLS_1_2))
    assert findings(RULE, many(2, version_number=TLS_1_2, ended=0)) == []
    assert findings(RULE, many(2, version_number=TLS_1_2, protected=(100, 100))) == []
    assert findings(RULE, many(2)) == []


def test_connections_that_say_nothing_of_a_failure() -> None:
    failed = {"version_number": TLS_1_3, "protected": (80, 24)}
    for change in ("gaps", "cut_packets"):
        reports = many(2, **failed)
        for each in reports:
            setattr(each.connection.counters[1], change, 1)
        assert findings(RULE, reports) == []
    served = many(2, **failed)
    for each in served:
        each.calls = 1
    assert findings(RULE, served) == []
    without_beginning = many(2, **failed)
    for each in without_beginning:
        each.connection.initiator = None
    assert findings(RULE, without_beginning) == []


def test_what_the_certificate_says() -> None:
    noon = datetime.datetime.fromtimestamp(NOON / SECOND, datetime.UTC)
    known = {"version_number": TLS_1_2, "alert": Alert(from_client=True, code=42), "server_name": "kafka.example"}
    old = certificate(noon - datetime.timedelta(days=1), "kafka.example")
    expired = finding(RULE, many(2, **known, server_certificate=old)).summary
    assert "CN=broker expired on 2026-11-19" in expired
    assert "asks for" not in expired
    other = certificate(noon + datetime.timedelta(days=1), "other.example", "*.sub.example")
    summary = finding(RULE, many(2, **known, server_certificate=other)).summary
    assert "the client asks for kafka.example, and the server's certificate is for other.example, *.sub" in summary
    known["server_name"] = "b1.sub.example"
    assert "asks for" not in finding(RULE, many(2, **known, server_certificate=other)).summary


def test_clients_that_close_without_an_alert() -> None:
    """Node.js looks at the certificate's name itself and closes, with or without a Finished message."""
    for known in ({"version_number": TLS_1_3}, {"version_number": TLS_1_2, "protected": (45, 45)}):
        assert findings(RULE, many(2, ended=0, **known)) == []
        found = finding(RULE, many(3, ended=0, **known))
        assert "the client ended it when it had seen the server's certificate, without a word" in found.summary
        assert findings(RULE, many(20, every=6, ended=0, **known)) == []  # A probe.
    assert findings(RULE, many(9, ended=0, version_number=TLS_1_3, protected=(200, 300))) == []
