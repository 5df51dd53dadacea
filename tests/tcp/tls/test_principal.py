"""Principals of certificates, as `X500Principal.getName()` of Java 17 gives them for the same encoded subjects."""

from datetime import datetime

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from kafkasniff.tcp.tls.principal import principal_of

KEY = ec.generate_private_key(ec.SECP256R1())

Attribute = tuple[x509.ObjectIdentifier, str]

# Subjects, each a list of sets of attributes, and what Java makes of them.
NAMES: dict[str, list[list[Attribute]]] = {
    "CN=alice,OU=Ops,O=Example,C=DE": [
        [(NameOID.COUNTRY_NAME, "DE")],
        [(NameOID.ORGANIZATION_NAME, "Example")],
        [(NameOID.ORGANIZATIONAL_UNIT_NAME, "Ops")],
        [(NameOID.COMMON_NAME, "alice")],
    ],
    r"CN=a\=b\,\#c\;\<d\>\\e\"f\+g,O=\ \ lead trail\ ": [
        [(NameOID.ORGANIZATION_NAME, "  lead trail ")],
        [(NameOID.COMMON_NAME, 'a=b,#c;<d>\\e"f+g')],
    ],
    "1.2.840.113549.1.9.1=#16057840792e7a,CN=alice,DC=example,UID=77,2.5.4.12=#0c04626f7373,2.5.4.5=#130135,"
    "STREET=Way 1,L=Town,ST=State": [
        [(NameOID.STATE_OR_PROVINCE_NAME, "State")],
        [(NameOID.LOCALITY_NAME, "Town")],
        [(NameOID.STREET_ADDRESS, "Way 1")],
        [(NameOID.SERIAL_NUMBER, "5")],
        [(NameOID.TITLE, "boss")],
        [(NameOID.USER_ID, "77")],
        [(NameOID.DOMAIN_COMPONENT, "example")],
        [(NameOID.COMMON_NAME, "alice")],
        [(NameOID.EMAIL_ADDRESS, "x@y.z")],
    ],
    "OU=x+CN=größe,O=Ä": [
        [(NameOID.ORGANIZATION_NAME, "Ä")],
        [(NameOID.COMMON_NAME, "größe"), (NameOID.ORGANIZATIONAL_UNIT_NAME, "x")],
    ],
}


def certificate(names: list[list[Attribute]]) -> bytes:
    subject = x509.Name([x509.RelativeDistinguishedName([x509.NameAttribute(*one) for one in each]) for each in names])
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(KEY.public_key())
    builder = builder.serial_number(7).not_valid_before(datetime(2020, 1, 1)).not_valid_after(datetime(2040, 1, 1))
    return builder.sign(KEY, hashes.SHA256()).public_bytes(serialization.Encoding.DER)


@pytest.mark.parametrize("name", NAMES)
def test_the_principal_is_the_subject_as_java_writes_it(name: str) -> None:
    assert principal_of(certificate(NAMES[name])) == f"User:{name}"


def test_a_damaged_certificate_has_none() -> None:
    made = certificate(NAMES["CN=alice,OU=Ops,O=Example,C=DE"])
    assert principal_of(made[:100]) is None
    assert principal_of(b"") is None
