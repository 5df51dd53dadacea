"""TLS handshakes scrubbed: their names are gone, the dates of certificates and the ciphers are not."""

from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

from kafkasniff.scrubbing.handshakes import Handshakes
from kafkasniff.scrubbing.names import Names


def vector(width: int, content: bytes) -> bytes:
    return len(content).to_bytes(width, "big") + content


def record(kind: int, content: bytes) -> bytes:
    return bytes([kind, 3, 3]) + vector(2, content)


def message(kind: int, content: bytes) -> bytes:
    return bytes([kind]) + vector(3, content)


def certificate(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> bytes:
    name = x509.Name(
        [x509.NameAttribute(NameOID.COUNTRY_NAME, "DE"), x509.NameAttribute(NameOID.COMMON_NAME, "broker1.example.com")]
    )
    begins = datetime(2026, 1, 1, tzinfo=UTC)
    built = x509.CertificateBuilder(name, name, key.public_key(), 0x7123456789, begins, begins + timedelta(days=90))
    names = [x509.DNSName("broker1.example.com"), x509.RFC822Name("someone@example.com")]
    made = built.add_extension(x509.SubjectAlternativeName(names), critical=False).sign(key, hashes.SHA256())
    return made.public_bytes(serialization.Encoding.DER)


def client_hello() -> bytes:
    name = vector(2, b"\0" + vector(2, b"broker1.example.com"))
    extensions = b"\0\0" + vector(2, name) + b"\0\x2b" + vector(2, b"\2\3\4")
    body = (
        b"\3\3" + bytes(range(32)) + vector(1, b"s" * 32) + vector(2, b"\x13\1\x13\2") + b"\1\0" + vector(2, extensions)
    )
    return message(1, body)


def test_the_name_of_the_server_is_another() -> None:
    names = Names(b"a key")
    stream = record(0x16, client_hello()) + record(0x14, b"\1") + record(0x17, b"encrypted")
    made = Handshakes(names).scrub(stream)
    assert len(made) == len(stream)
    assert b"broker1" not in made
    assert b"encrypted" not in made
    assert names.text(b"broker1.example.com") in made
    assert vector(2, b"\x13\1\x13\2") in made
    assert b"\0\x2b\0\3\2\3\4" in made
    assert made.endswith(record(0x14, b"\1") + record(0x17, bytes(9)))


@pytest.mark.parametrize("key", [ec.generate_private_key(ec.SECP256R1()), rsa.generate_private_key(65_537, 2048)])
def test_certificates_keep_their_dates(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> None:
    der = certificate(key)
    messages = message(11, vector(3, vector(3, der))) + message(14, b"")
    # A message may go over several records.
    stream = record(0x16, messages[:100]) + record(0x16, messages[100:])
    made = Handshakes(Names(b"a key")).scrub(stream)
    content = made[5:105] + made[110:]
    assert len(made) == len(stream)
    scrubbed = x509.load_der_x509_certificate(content[10 : 10 + len(der)])
    assert scrubbed.not_valid_after_utc == datetime(2026, 4, 1, tzinfo=UTC)
    assert scrubbed.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value != "broker1.example.com"
    for name in (b"broker1", b"example", b"someone", bytes.fromhex("7123456789")):
        assert name not in content


def test_what_is_cut_or_wrong_is_blank() -> None:
    hello = client_hello()
    for end in range(1, len(hello)):
        made = Handshakes(Names(b"a key")).scrub(record(0x16, hello)[: 5 + end])
        assert len(made) == 5 + end
        assert b"broker1" not in made
    wrong = record(0x16, message(11, vector(3, vector(3, b"\x30\x82\xff\xffbroker1.example.com"))))
    assert b"broker1" not in Handshakes(Names(b"a key")).scrub(wrong)
