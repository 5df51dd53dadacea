"""What is known of a TLS connection without and with its secrets."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from kafkasniff.tcp.tls.cipher_suites import suite_name

if TYPE_CHECKING:  # loading it takes a tenth of a second
    from cryptography import x509

_VERSIONS = {0x0300: "SSL 3.0", 0x0301: "TLS 1.0", 0x0302: "TLS 1.1", 0x0303: "TLS 1.2", 0x0304: "TLS 1.3"}

NO_SECRETS = "no secrets in the key log"
LATE = "its secrets came when more had been sent than waits for them"
NOT_FITTING = "its secrets in the key log do not fit"
NOT_SUPPORTED = "cannot be decrypted"
NO_LIBRARY = "the package cryptography is not installed"
INCOMPLETE = "its ClientHello or ServerHello was not seen"

CLOSE_NOTIFY = 0
_ALERTS = {
    10: "unexpected_message",
    20: "bad_record_mac",
    22: "record_overflow",
    40: "handshake_failure",
    42: "bad_certificate",
    43: "unsupported_certificate",
    44: "certificate_revoked",
    45: "certificate_expired",
    46: "certificate_unknown",
    47: "illegal_parameter",
    48: "unknown_ca",
    49: "access_denied",
    50: "decode_error",
    51: "decrypt_error",
    70: "protocol_version",
    71: "insufficient_security",
    80: "internal_error",
    86: "inappropriate_fallback",
    90: "user_canceled",
    109: "missing_extension",
    110: "unsupported_extension",
    112: "unrecognized_name",
    113: "bad_certificate_status_response",
    115: "unknown_psk_identity",
    116: "certificate_required",
    120: "no_application_protocol",
}
"""RFC 8446, 6."""


class Alert(NamedTuple):
    """Why one side ended the connection."""

    from_client: bool
    code: int

    @property
    def name(self) -> str:
        """Give the name in RFC 8446, or the number."""
        return _ALERTS.get(self.code, str(self.code))


class Certificate(NamedTuple):
    """Whose a certificate is, and until when."""

    subject: str
    """As in RFC 4514, e.g. `CN=broker1,O=Example`."""
    expires: datetime
    """UTC."""
    valid_from: datetime | None = None
    """UTC."""
    names: tuple[str, ...] = ()
    """The host names and addresses that it is for."""


@dataclass(slots=True)
class TlsDescription:
    """What the handshake said, as far as it was in the clear or could be decrypted."""

    version_number: int | None = None
    """What the server chose."""
    cipher_suite: int | None = None
    """What the server chose."""
    server_name: str | None = None
    """The host that the client asked for (SNI)."""
    offered_protocols: tuple[str, ...] = ()
    """What the client offered by ALPN."""
    chosen_protocol: str | None = None
    """What the server chose by ALPN."""
    server_certificate: bytes | None = None
    """DER."""
    client_certificate: bytes | None = None
    """DER."""
    alert: Alert | None = None
    """The first alert that could be read, other than that the connection closes."""
    resumed: bool = False
    """Whether an earlier session was resumed."""
    decrypted: bool = False
    """Whether records were authenticated and decrypted."""
    failure: str | None = None
    """Why data could not be decrypted."""
    protected: tuple[int, int] = (0, 0)
    """Bytes of the client's from its first protected record on, and of the server's behind that."""

    @property
    def version(self) -> str | None:
        """Give the name of the version, None where the server's answer is not known."""
        if self.version_number is None:
            return None
        return _VERSIONS.get(self.version_number, f"0x{self.version_number:04X}")

    @property
    def cipher(self) -> str | None:
        """Give IANA's name of the cipher suite, None where the server's answer is not known."""
        return None if self.cipher_suite is None else suite_name(self.cipher_suite)

    def __str__(self) -> str:
        """Give it in a line."""
        words = [word for word in (self.version or "TLS", self.cipher) if word]
        if self.server_name:
            words.append(f"SNI {self.server_name}")
        if self.chosen_protocol or self.offered_protocols:
            words.append(f"ALPN {self.chosen_protocol or '/'.join(self.offered_protocols)}")
        certificate = read_certificate(self.server_certificate)
        if certificate is not None:
            words.append(f"certificate {certificate.subject} until {certificate.expires:%Y-%m-%d}")
        if self.alert is not None:
            words.append(f"alert {self.alert.name} from the {'client' if self.alert.from_client else 'server'}")
        if self.resumed:
            words.append("resumed")
        if self.decrypted:
            words.append("decrypted")
        elif self.failure:
            words.append(self.failure)
        return ", ".join(words)


def read_certificate(der: bytes | None) -> Certificate | None:
    """Read a certificate; None where there is none, it is damaged, or the package `cryptography` is not installed."""
    if der is None:
        return None
    # Late: loading it takes a tenth of a second.
    try:
        from cryptography import x509
    except ModuleNotFoundError:
        return None

    try:
        certificate = x509.load_der_x509_certificate(der)
        return Certificate(
            certificate.subject.rfc4514_string(),
            certificate.not_valid_after_utc,
            certificate.not_valid_before_utc,
            _names_of(certificate),
        )
    except (ValueError, TypeError, KeyError, x509.InvalidVersion):
        return None


def _names_of(certificate: "x509.Certificate") -> tuple[str, ...]:
    from cryptography import x509

    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (ValueError, x509.ExtensionNotFound, x509.DuplicateExtension):
        return ()
    hosts = names.get_values_for_type(x509.DNSName)
    return (*hosts, *map(str, names.get_values_for_type(x509.IPAddress)))
