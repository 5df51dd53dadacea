import random
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from kafkasniff.tcp.tls.description import TlsDescription, read_certificate
from tests.tcp.tls.openssl import EXPIRES, SUBJECT, write_certificate


def certificate(folder: Path) -> bytes:
    return x509.load_pem_x509_certificate(write_certificate(folder).read_bytes()).public_bytes(Encoding.DER)


def test_reads_a_certificate(tmp_path: Path) -> None:
    found = read_certificate(certificate(tmp_path))
    assert found is not None
    assert (found.subject, found.expires.replace(tzinfo=None)) == (SUBJECT, EXPIRES)


def test_a_damaged_certificate_is_none_or_reads_otherwise(tmp_path: Path) -> None:
    der = certificate(tmp_path)
    source = random.Random(9)
    for place in range(len(der)):
        damaged = bytearray(der)
        damaged[place] ^= 1 << source.randrange(8)
        read_certificate(bytes(damaged))
        read_certificate(der[:place])
    assert read_certificate(b"") is None
    assert read_certificate(None) is None


def test_says_it_in_a_line(tmp_path: Path) -> None:
    known = TlsDescription()
    assert str(known) == "TLS"
    known.version_number, known.cipher_suite = 0x0303, 0xC02F
    known.server_name, known.offered_protocols = "broker.example", ("a", "b")
    known.server_certificate = certificate(tmp_path)
    known.failure = "no secrets in the key log"
    assert str(known) == (
        "TLS 1.2, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, SNI broker.example, ALPN a/b, "
        "certificate CN=broker.example,O=Kafka until 2040-01-02, no secrets in the key log"
    )
    known.version_number, known.decrypted, known.resumed, known.chosen_protocol = 0x7F1C, True, True, "b"
    assert str(known).startswith("0x7F1C, ")
    assert str(known).endswith(", ALPN b, certificate CN=broker.example,O=Kafka until 2040-01-02, resumed, decrypted")
