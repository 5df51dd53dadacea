"""Rules about logins, rights, and talking the wrong protocol to a port."""

from collections.abc import Hashable
from typing import ClassVar, NamedTuple

from kafkasniff.calls.call import Call, ConnectionReport, FieldError
from kafkasniff.diagnose.error_rule import ErrorKey, ErrorRule, ErrorTally
from kafkasniff.diagnose.facts import (
    METADATA,
    SASL_AUTHENTICATE,
    SASL_HANDSHAKE,
    Client,
    client_of,
    request_of,
    response_of,
)
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.groups import group_of
from kafkasniff.diagnose.memory import Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, connections_subject, seconds_text

_READABLE = frozenset({"PLAIN", "OAUTHBEARER"})
"""Mechanisms whose messages hold the password or token itself (RFC 4616, RFC 7628)."""


class AuthFailureLoop(ErrorRule):
    """A client that cannot log in tries again and again."""

    id = "auth-failure-loop"
    title = "The login fails again and again"
    severity = "error"
    scope = "client"
    codes = frozenset({58})
    thresholds = (Threshold("calls", 4, "logins", "Java gives up at once; librdkafka and others go on by default"),)
    meaning = "The client's credentials are wrong, and it keeps trying, which costs the broker a connection each time."
    wire = "SaslAuthenticate answered with 58 SASL_AUTHENTICATION_FAILED, a close, and a new connection, many times."
    cause = "A wrong user name or password, or credentials that were changed on the broker only."
    fix = (
        "Correct sasl.jaas.config (Java), sasl.username and sasl.password (librdkafka); and let the program stop at "
        "an authentication error instead of trying on. connection.failed.authentication.delay.ms on the broker slows such clients."
    )
    explains = ("connection-churn", "response-timeout")


class UnsupportedSaslMechanism(ErrorRule):
    """A client wants a mechanism that the listener does not offer."""

    id = "unsupported-sasl-mechanism"
    title = "The broker does not offer the SASL mechanism"
    severity = "error"
    scope = "client"
    codes = frozenset({33})
    thresholds = (Threshold("calls", 3, "handshakes", "the same request cannot succeed later"),)
    meaning = "The client cannot log in, as it and the listener have no SASL mechanism in common."
    wire = "SaslHandshake answered with 33 UNSUPPORTED_SASL_MECHANISM and the list of mechanisms that there are."
    cause = "sasl.mechanism of the client is not among sasl.enabled.mechanisms of the listener."
    fix = "Set sasl.mechanism (sasl.mechanisms in librdkafka) to one that is offered, or enable it on the broker's listener."
    explains = ("auth-failure-loop", "connection-churn", "response-timeout")

    def name_of(self, call: Call, error: FieldError) -> str | None:
        """Count each mechanism apart, with what the broker offers instead."""
        offered = ", ".join(response_of(call).get("mechanisms") or []) or "none"
        return f"{request_of(call).get('mechanism')} (offered: {offered})"

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Name both sides' mechanisms."""
        return f"{key.client.name} asked {state.count:,} times for the SASL mechanism {key.name}."


class CleartextCredentials(Rule[Tally]):
    """A password or token can be read in the capture."""

    id = "cleartext-credentials"
    title = "Credentials cross the network in the clear"
    severity = "warning"
    scope = "client"
    apis = frozenset({SASL_HANDSHAKE})
    thresholds = (Threshold("calls", 1, "logins", "once is enough to be read"),)
    meaning = "Whoever sees the packets can read the password and log in with it."
    wire = "SaslHandshake for PLAIN (or OAUTHBEARER) is answered without error on a connection without TLS."
    cause = "The listener is SASL_PLAINTEXT, and the mechanism sends the secret itself."
    fix = "Use a SASL_SSL listener (security.protocol=SASL_SSL), or SCRAM instead of PLAIN; and change the password."

    def new_state(self) -> Tally:
        """Begin with none."""
        return Tally()

    def call(self, call: Call) -> None:
        """Look at the mechanism of a handshake; what TLS protected was decrypted and says so."""
        mechanism = request_of(call).get("mechanism")
        answer = response_of(call)
        if mechanism in _READABLE and answer.get("errorCode") == 0 and "SSL" not in call.security_protocol:
            assert call.request is not None
            what = f"login with {mechanism} on a connection without TLS"
            self.state((client_of(call), mechanism)).add(call.request.last, what, call.client)

    def finding(self, key: Hashable, state: Tally) -> Finding | None:
        """Fire from the threshold on."""
        client, mechanism = key  # type: ignore[misc]
        if state.count < self.limits["calls"]:
            return None
        secret = "password" if mechanism == "PLAIN" else "token"
        summary = f"{client.name} logged in {state.count:,} times with SASL/{mechanism} without TLS: its {secret} can be read."
        return self.make(state, client_subject(client, state.clients), summary)


class AuthorizationDenied(ErrorRule):
    """A client lacks rights."""

    id = "authorization-denied"
    title = "The client lacks the rights for what it does"
    severity = "error"
    scope = "client"
    codes = frozenset({29, 31, 53})
    thresholds = (Threshold("calls", 3, "calls", "the same request cannot succeed until an ACL is added"),)
    meaning = "The principal has no ACL for a topic, for the cluster or for its transactional id, and asks on."
    wire = (
        "29 TOPIC_, 31 CLUSTER_ or 53 TRANSACTIONAL_ID_AUTHORIZATION_FAILED, again and again; an idempotent Java "
        "producer asks InitProducerId hundreds of times a second."
    )
    cause = "An ACL is missing: IdempotentWrite (or Write) for producers, Read for consumers, Write on the transactional id."
    fix = "Add the ACL (kafka-acls.sh --add --allow-principal …), or correct the client's principal or topic name."


class GroupAuthorizationDenied(ErrorRule):
    """A client may not use its group."""

    id = "group-authorization-denied"
    title = "The client may not use the consumer group"
    severity = "error"
    scope = "client and group"
    codes = frozenset({30})
    thresholds = (Threshold("calls", 3, "calls", "the same request cannot succeed until an ACL is added"),)
    meaning = "The principal has no Read right on the group, so that the consumer never gets partitions."
    wire = "FindCoordinator, JoinGroup or OffsetFetch answered with 30 GROUP_AUTHORIZATION_FAILED, again and again."
    cause = "The ACL for the group is missing, or group.id is not the one that was granted."
    fix = "Add it: kafka-acls.sh --add --allow-principal User:… --operation Read --group …; or correct group.id."
    explains = ("authorization-denied",)

    def name_of(self, call: Call, error: FieldError) -> str | None:
        """Count each group apart."""
        return group_of(call, error)

    def more_subject(self, key: ErrorKey) -> dict[str, object]:
        """Name the group."""
        return {"group": key.name}

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Name client and group."""
        return f"{key.client.name} was refused {state.count:,} times as it may not use group {key.name}."


class Closed(Tally):
    """Requests that the server left unanswered, and whether the client ever got further."""

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.served = False


class RequestBeforeSasl(Rule[Closed]):
    """A client without SASL talks to a listener that demands it."""

    id = "request-before-sasl"
    title = "The client does not log in where it has to"
    severity = "error"
    scope = "client"
    apis = frozenset({METADATA, SASL_HANDSHAKE, SASL_AUTHENTICATE})
    thresholds = (Threshold("calls", 2, "connections", "one may be a broker that was shutting down"),)
    meaning = "The listener closes the connection at the first request that is not a login."
    wire = "ApiVersions is answered, Metadata never; no SaslHandshake; the server closes the connection."
    cause = "security.protocol of the client is PLAINTEXT or SSL while the listener's is SASL_PLAINTEXT or SASL_SSL."
    fix = "Set security.protocol=SASL_SSL (or SASL_PLAINTEXT), sasl.mechanism and the credentials; or use another listener's port."
    explains = ("connection-churn", "response-timeout")

    def new_state(self) -> Closed:
        """Begin with none."""
        return Closed()

    def call(self, call: Call) -> None:
        """Count Metadata requests that the server answered by closing."""
        if call.request is None or call.header is None:
            return
        state = self.state((client_of(call), call.server))
        if call.header.api_key != METADATA or call.outcome == "answered":
            state.served = True
        elif call.outcome == "unanswered":
            connection = call.connection
            server = 1 if str(connection.endpoints[0]) == call.client else 0
            # Versions before 1 are those of clients that probe by version; a broker without them closes as well.
            if connection.ended_direction == server and connection.initiator == 1 - server:
                state.add(call.request.last, "Metadata never answered; the server closed the connection", call.client)

    def finding(self, key: Hashable, state: Closed) -> Finding | None:
        """Fire where no Metadata was ever answered and no login tried."""
        client, server = key  # type: ignore[misc]
        if state.served or state.count < self.limits["calls"]:
            return None
        summary = (
            f"{server} closed {state.count:,} connections of {client.name} at their first Metadata request: "
            "the listener demands a login (SASL), and the client does not know."
        )
        return self.make(state, client_subject(client, state.clients) | {"server": server}, summary)


class ServerKey(NamedTuple):
    """A server, and the client where it is known."""

    server: str
    client: Client | None


class _PortRule(Rule[Tally]):
    """Counts connections to one server that opened with the wrong protocol."""

    least: ClassVar[str] = "connections"

    def new_state(self) -> Tally:
        """Begin with none."""
        return Tally()

    def finding(self, key: Hashable, state: Tally) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(key, ServerKey)
        if state.count < self.limits[self.least]:
            return None
        subject = {"server": key.server, "client": connections_subject(state.clients)}
        if key.client is not None:
            subject = client_subject(key.client, state.clients) | {"server": key.server}
        return self.make(state, subject, self.summary(key, state))

    def summary(self, key: ServerKey, state: Tally) -> str:
        """Say what came to which port."""
        raise NotImplementedError


def refused_unanswered(report: ConnectionReport) -> bool:
    """Tell whether a server closed a connection, seen from its start, without having sent a byte."""
    connection = report.connection
    client = connection.initiator
    if client is None or connection.ended_direction != 1 - client:
        return False
    counters = connection.counters
    heard = counters[client].data_bytes > 0 and counters[1 - client].packets > 0
    return heard and not counters[1 - client].data_bytes and not counters[0].gaps and not counters[1].gaps


def _hosts(state: Tally) -> str:
    names = sorted({client.rpartition(":")[0] for client in state.clients})
    return ", ".join(names)


class TlsToPlaintextPort(_PortRule):
    """TLS to a port that does not speak it."""

    id = "tls-to-plaintext-port"
    title = "TLS is spoken to a plaintext port"
    severity = "error"
    scope = "server"
    thresholds = (Threshold("connections", 2, "connections", "one may be a scan"),)
    meaning = "The client begins a TLS handshake; the broker takes its first bytes for a huge request size and closes."
    wire = "First bytes 16 03 (a ClientHello), not one byte from the server, which closes the connection."
    cause = "security.protocol of the client is SSL or SASL_SSL, but the port belongs to a listener without TLS."
    fix = "Point bootstrap.servers at the TLS listener's port, or set security.protocol to PLAINTEXT or SASL_PLAINTEXT."
    explains = ("connection-churn",)

    def connection(self, report: ConnectionReport) -> None:
        """Count TLS connections without any answer."""
        if report.protocol == "tls" and refused_unanswered(report):
            what = "ClientHello; the server closed the connection without a byte"
            self.state(ServerKey(report.server, None)).add(report.connection.first, what, report.client)

    def summary(self, key: ServerKey, state: Tally) -> str:
        """Name the port and who comes."""
        return f"{state.count:,} TLS handshakes from {_hosts(state)} were cut off by {key.server}, which does not speak TLS."


class PlaintextToTlsPort(_PortRule):
    """Kafka in the clear to a TLS port."""

    id = "plaintext-to-tls-port"
    title = "Plaintext is spoken to a TLS port"
    severity = "error"
    scope = "client and server"
    thresholds = (Threshold("connections", 2, "connections", "one may be a probe"),)
    meaning = "The client sends Kafka requests in the clear to a port that expects TLS, and never gets an answer."
    wire = "A Kafka request, answered with the 7 bytes of a TLS alert (15 03 …). Java waits for 352 MB more; librdkafka reconnects."
    cause = "security.protocol of the client is PLAINTEXT or SASL_PLAINTEXT, but the port belongs to a TLS listener."
    fix = "Set security.protocol=SSL (or SASL_SSL) and the trust store (ssl.truststore.location, ssl.ca.location in librdkafka)."
    explains = ("connection-churn", "response-timeout")

    def connection(self, report: ConnectionReport) -> None:
        """Count Kafka connections that got a TLS alert."""
        if (
            report.protocol == "kafka"
            and report.response_start[:2] == b"\x15\x03"
            and report.connection.initiator is not None
        ):
            client = self.facts.client(report.connection)
            what = "Kafka request answered with a TLS alert"
            self.state(ServerKey(report.server, client)).add(report.connection.first, what, report.client)

    def summary(self, key: ServerKey, state: Tally) -> str:
        """Name client and port."""
        name = key.client.name if key.client else _hosts(state)
        return f"{name} sent Kafka requests in the clear to {key.server}, which answered {state.count:,} times with a TLS alert."


class HttpToKafkaPort(_PortRule):
    """HTTP to a Kafka port."""

    id = "http-to-kafka-port"
    title = "HTTP is spoken to a Kafka port"
    severity = "warning"
    scope = "server"
    thresholds = (Threshold("connections", 2, "connections", "one may be a scan"),)
    meaning = (
        "A web client or health check talks to the broker's port; the broker takes it for a huge request and closes."
    )
    wire = "First bytes are an HTTP verb, not one byte from the server, which closes the connection."
    cause = "A load balancer's health check, a metrics scraper, or a REST client with the broker's port."
    fix = "Use a TCP health check; point REST clients at the REST proxy, scrapers at the exporter's port."

    def connection(self, report: ConnectionReport) -> None:
        """Count HTTP connections without any answer."""
        if report.protocol in ("http", "http2") and refused_unanswered(report):
            what = f"{report.evidence}; the server closed the connection without a byte"
            self.state(ServerKey(report.server, None)).add(report.connection.first, what, report.client)

    def summary(self, key: ServerKey, state: Tally) -> str:
        """Name the port and who comes."""
        return f"{_hosts(state)} sent HTTP to {key.server} {state.count:,} times; the server closed each connection unanswered."


class OtherProtocolToKafkaPort(_PortRule):
    """Something else to a Kafka port."""

    id = "other-protocol-to-kafka-port"
    title = "Another protocol is spoken to a Kafka port"
    severity = "warning"
    scope = "server"
    thresholds = (Threshold("connections", 2, "connections", "one may be a scan"),)
    meaning = "Something that is neither Kafka, TLS nor HTTP talks to the port; the server closes without an answer."
    wire = "First bytes of SSH, Redis, ZooKeeper or unknown, not one byte from the server, which closes the connection."
    cause = "A wrong port in some program's configuration, or a scanner."
    fix = "Find the program by its address, and correct its port; keep scanners away from the brokers' ports."

    def connection(self, report: ConnectionReport) -> None:
        """Count connections of other protocols without any answer."""
        if report.protocol not in ("kafka", "tls", "http", "http2", "empty") and refused_unanswered(report):
            what = f"{report.protocol}: {report.evidence}; the server closed the connection without a byte"
            self.state(ServerKey(report.server, None)).add(report.connection.first, what, report.client)

    def summary(self, key: ServerKey, state: Tally) -> str:
        """Name the port and who comes."""
        took = seconds_text(state.span_ns)
        return f"{_hosts(state)} sent something other than Kafka to {key.server} {state.count:,} times within {took}, unanswered."


SECURITY_RULES = (
    AuthFailureLoop,
    UnsupportedSaslMechanism,
    RequestBeforeSasl,
    CleartextCredentials,
    AuthorizationDenied,
    GroupAuthorizationDenied,
    TlsToPlaintextPort,
    PlaintextToTlsPort,
    HttpToKafkaPort,
    OtherProtocolToKafkaPort,
)
