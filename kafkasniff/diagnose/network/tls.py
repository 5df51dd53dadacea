"""Rules about TLS."""

from datetime import UTC, datetime
from typing import Any

from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.diagnose.facts.clients import Client, host_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.rates import SECOND, Rate
from kafkasniff.diagnose.memory.tallies import Tally
from kafkasniff.diagnose.network.closed import HostKey
from kafkasniff.diagnose.rule import Rule, Threshold, connections_subject, times_text
from kafkasniff.tcp.tls.description import TlsDescription, read_certificate

_TLS_1_3 = 0x0304
_SMALLEST_FINISHED = 58
"""Bytes of a protected Finished message with a tag of 16 and a digest of 32 (RFC 8446, 4.4.4 and 5.2)."""
_LARGEST_ALERT = 128
"""Bytes that a server sends behind the client's Finished message when it refuses it: an alert; tickets are larger."""
_SOON_NS = 10 * SECOND

_REASONS = {
    "certificate_expired": "the certificate has expired",
    "bad_certificate": "the certificate is not accepted (expired, for another host, or damaged)",
    "certificate_unknown": "the certificate is not trusted, or is for another host (Java says so for both)",
    "unknown_ca": "the authority that signed the certificate is not trusted",
    "certificate_required": "the client shows no certificate, and the listener demands one",
    "handshake_failure": "no common cipher suite, or no certificate of the client's where the listener demands one",
    "protocol_version": "no common version of TLS",
    "insufficient_security": "no common cipher suite that is strong enough",
    "unrecognized_name": "the server does not know the host name that the client asks for",
    "access_denied": "the certificate is valid, and its owner may not connect",
    "no_application_protocol": "no common application protocol (ALPN)",
}
"""By alert (RFC 8446, 6.2)."""


class Handshakes(Tally):
    """Handshakes that failed."""

    __slots__ = ("in_a_row", "minute", "reason", "tls")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.minute = Rate(60 * SECOND, 1_000)
        self.in_a_row = Rate(_SOON_NS, 1_000)
        """Of those that the client ended without a word."""
        self.tls: TlsDescription | None = None
        """Of the latest."""
        self.reason = ""


class TlsHandshakeFailure(Rule[Handshakes]):
    """TLS handshakes fail again and again."""

    id = "tls-handshake-failure"
    title = "TLS handshakes fail"
    severity = "error"
    scope = "client host and server"
    state_type = Handshakes
    thresholds = (
        Threshold("connections", 2, "connections", "within a minute; one may be a probe"),
        Threshold("silent", 3, "connections", "within 10 s, where the client says nothing; probes come more slowly"),
    )
    meaning = (
        "Client and broker do not agree on TLS, so that no Kafka request ever gets through; the client keeps trying."
    )
    wire = (
        "A TLS alert in the clear (up to TLS 1.2); or, in TLS 1.3, a ServerHello, and then no more than an encrypted "
        "alert from the one or the other side before the connection ends, without application data. Or the client ends "
        "one connection after the other as soon as it has seen the certificate (as kafkajs does)."
    )
    cause = "An expired certificate, one for another host name, an unknown authority, or no client certificate."
    fix = (
        "Look at the certificate's dates, names and issuer (openssl s_client -connect HOST:PORT -servername HOST); "
        "renew it, or trust its authority ({ssl.truststore.location}). Where ssl.client.auth=required, give the "
        "client a certificate ({ssl.keystore.location})."
    )

    def connection(self, report: ConnectionReport) -> None:
        """Count a connection whose handshake failed."""
        if report.tls is None or report.calls or report.connection.initiator is None:
            return
        reason = _failure(report, report.tls)
        silent = reason is None and _ended_silently(report, report.tls)
        if reason is None and not silent:
            return
        reason = reason or "the client ended it when it had seen the server's certificate, without a word"
        state = self.state(HostKey(Client(None, host_of(report.client)), report.server))
        (state.in_a_row if silent else state.minute).add(report.connection.first.time)
        state.tls, state.reason = report.tls, reason
        state.add(report.connection.last, reason, report)

    def finding(self, key: Any, state: Handshakes) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(key, HostKey)
        few = state.minute.peak < self.limits["connections"] and state.in_a_row.peak < self.limits["silent"]
        if few or state.tls is None or state.first is None:
            return None
        subject = {"client": connections_subject(state.clients) or key.host, "server": key.server}
        told = [state.reason, *_about_certificate(state.tls, state.first.time)]
        summary = (
            f"TLS handshakes of {key.host} with {key.server} failed {times_text(state.count)} "
            f"({state.tls.version or 'TLS'}): {'; '.join(told)}."
        )
        return self.make(state, subject, summary)


def _failure(report: ConnectionReport, tls: TlsDescription) -> str | None:
    """Say how a handshake failed, and who ended it; None where it did not, or where that cannot be known."""
    connection = report.connection
    client = connection.initiator
    assert client is not None
    if tls.alert is not None:
        who = "client" if tls.alert.from_client else "server"
        reason = _REASONS.get(tls.alert.name)
        return f"the {who} ended it with the alert {tls.alert.name}{f': {reason}' if reason else ''}"
    counters = connection.counters
    if any(counter.gaps or counter.cut_packets for counter in counters) or connection.ended_by not in ("fin", "rst"):
        return None
    by_server = connection.ended_direction == 1 - client
    of_client, of_server = tls.protected
    soon = connection.last.time - connection.first.time < _SOON_NS
    if tls.version_number is None or not soon or tls.decrypted:
        return None  # Without a ServerHello it is no failure of TLS.
    if tls.version_number < _TLS_1_3:
        return "the server closed the connection within the handshake" if by_server and not of_client else None
    if of_client < _SMALLEST_FINISHED:
        if not of_client and not by_server:
            return None  # A scanner does so, too.
        who = "server" if by_server and not of_client else "client"
        return f"the {who} ended it when it had seen the other's hello{' and certificate' if who == 'client' else ''}"
    if of_server <= _LARGEST_ALERT and (by_server or of_server):
        return (
            "the server ended it right after the client's last step: the client's certificate is missing or not "
            "accepted (ssl.client.auth=required)"
        )
    return None


def _ended_silently(report: ConnectionReport, tls: TlsDescription) -> bool:
    """Tell whether a client closed a connection once it knew the certificate: before or right after its last step.

    Node.js checks the certificate's name itself, and sends no alert.
    """
    connection = report.connection
    client = connection.initiator
    if any(counter.gaps or counter.cut_packets for counter in connection.counters) or tls.decrypted:
        return False
    if connection.ended_by not in ("fin", "rst") or connection.ended_direction != client or not tls.version_number:
        return False
    return tls.protected[0] <= _SMALLEST_FINISHED and connection.last.time - connection.first.time < _SOON_NS


def _about_certificate(tls: TlsDescription, time: int) -> list[str]:
    """Say what is wrong with the server's certificate, as far as it can be read."""
    certificate = read_certificate(tls.server_certificate)
    if certificate is None:
        return []
    now = datetime.fromtimestamp(time / SECOND, UTC)
    told = []
    if certificate.expires < now:
        told.append(f"the server's certificate {certificate.subject} expired on {certificate.expires:%Y-%m-%d}")
    elif certificate.valid_from is not None and certificate.valid_from > now:
        told.append(f"the server's certificate {certificate.subject} begins on {certificate.valid_from:%Y-%m-%d}")
    if tls.server_name and certificate.names and not _is_for(tls.server_name, certificate.names):
        names = ", ".join(certificate.names[:8])
        told.append(f"the client asks for {tls.server_name}, and the server's certificate is for {names}")
    return told


def _is_for(host: str, names: tuple[str, ...]) -> bool:
    """Tell whether a certificate with these names is for a host (RFC 6125: `*` stands for one label)."""
    wanted = host.lower()
    behind = wanted.partition(".")[2]
    return any(
        name.lower() == wanted or (name.startswith("*.") and name[2:].lower() == behind and bool(behind))
        for name in names
    )


TLS_RULES: tuple[type[Rule[Any]], ...] = (TlsHandshakeFailure,)
