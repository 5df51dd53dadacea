"""Rules about logins."""

from collections.abc import Hashable
from typing import Any, NamedTuple

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.calls.enrichment.authentication import BEFORE_LOGIN, RawToken
from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.capture.packets import Arrival
from kafkasniff.diagnose.cluster.brokers import may_be_refused
from kafkasniff.diagnose.error_rule import ErrorKey, ErrorRule, ErrorTally
from kafkasniff.diagnose.facts.clients import Client, at_host, client_of
from kafkasniff.diagnose.facts.sides import client_direction
from kafkasniff.diagnose.facts.whole_bodies import request_of, response_of
from kafkasniff.diagnose.finding import Finding, Severity
from kafkasniff.diagnose.memory.bounded import MOST_CONNECTIONS, Bounded
from kafkasniff.diagnose.memory.rates import SECOND
from kafkasniff.diagnose.memory.tallies import MOST_NAMES, Names, Tally
from kafkasniff.diagnose.options.library import Advice
from kafkasniff.diagnose.rule import (
    Rule,
    Threshold,
    client_subject,
    connections_subject,
    counted,
    rough_text,
    times_text,
)
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import SASL_AUTHENTICATE, SASL_HANDSHAKE
from kafkasniff.protocol.error_codes.numbers import SASL_AUTHENTICATION_FAILED, UNSUPPORTED_SASL_MECHANISM

_CLOSED = "no answer to its SASL token"
_FEW = 4
"""Client ids that a sentence names."""
_TOKENS_FIX = "Use a SASL_SSL listener ({security.protocol}); revoke tokens that were sent, or let them expire."
_READABLE: dict[str, tuple[str, str | None]] = {"PLAIN": ("passwords", None), "OAUTHBEARER": ("tokens", _TOKENS_FIX)}
"""Mechanisms whose messages hold the password or token itself (RFC 4616, RFC 7628), and what else to do then."""


class _Login(NamedTuple):
    """What is remembered of a raw token, which may hold 64 kB."""

    arrival: Arrival
    direction: str
    mechanism: str


def _login(token: RawToken) -> _Login:
    return _Login(token.arrival, token.direction, token.token.mechanism)


class FailedLogins(ErrorTally):
    """Logins that failed, and what is known of them."""

    __slots__ = ("expired_ns", "mechanisms", "messages")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.mechanisms = Names()
        self.messages = Names()
        """What the broker says."""
        self.expired_ns = 0
        """For how long the token of the latest had expired (ns)."""


_BY_MECHANISM = {
    "OAUTHBEARER": Advice(
        "The token is expired, is for another audience or issuer, lacks a scope, or is signed with a key that the "
        "broker does not know.",
        "Compare the token's claims (exp, aud, iss, scope) with the listener's sasl.oauthbearer.expected.audience and "
        ".issuer, and the clocks of both hosts; let the program stop at an authentication error instead of trying on.",
    ),
    "GSSAPI": Advice(
        "The Kerberos ticket is not for this broker's service name, is expired, or was made with another key.",
        "Look at the client's ticket (klist), the broker's principal and keytab, and the clocks of both.",
    ),
}
"""Why logins fail that have no password."""


class AuthFailureLoop(ErrorRule):
    """A client that cannot log in tries again and again."""

    id = "auth-failure-loop"
    title = "The login fails"
    severity = "error"
    scope = "client"
    codes = frozenset({SASL_AUTHENTICATION_FAILED})
    ends_connections = True
    state_type = FailedLogins
    apis = frozenset({SASL_AUTHENTICATE})
    thresholds = (
        Threshold("calls", 1, "logins", "Java gives up at once"),
        Threshold(
            "again",
            4,
            "logins",
            "librdkafka goes on by default; fewer are an info where the client gets in at other times, and raw "
            "tokens alone nothing",
        ),
    )
    meaning = "The client's credentials are wrong. One that keeps trying costs the broker a connection each time."
    wire = (
        "SaslAuthenticate answered with 58 SASL_AUTHENTICATION_FAILED, or tokens without Kafka's headers (behind "
        "SaslHandshake v0) not answered at all; a close, and often a new connection, many times."
    )
    cause = "A wrong user name or password, or credentials that were changed on the broker only."
    fix = (
        "Correct the credentials ({sasl.jaas.config}); and let the program stop at an authentication error instead of "
        "trying on. connection.failed.authentication.delay.ms on the broker slows such clients."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with no login under way."""
        super().__init__(*arguments)
        self._raw: Bounded[_Login] = Bounded(MOST_CONNECTIONS)
        """The latest raw token of connections on which no call was answered since."""
        self._expired: Bounded[int] = Bounded(MOST_CONNECTIONS)
        """For how long the token had expired that a connection's login showed (ns)."""
        self._served: Bounded[bool] = Bounded()
        """Clients that logged in at some time."""

    def uses(self, seen: SeenCall) -> None:
        """Note who is served behind a login, which may have been before the capture."""
        if seen.key in BEFORE_LOGIN or seen.call.response is None:
            return
        if seen.history.used(SASL_HANDSHAKE) or seen.call.connection.initiator is None:
            self._served.put(at_host(seen.client), True)

    def call(self, seen: SeenCall) -> None:
        """Note a token that is too old: the broker says no in a later call (RFC 7628, 3.2.3)."""
        for token in seen.call.context.tokens:
            claims = token["value"].get("claims")
            until = claims.get("exp") if isinstance(claims, dict) else None
            if isinstance(until, int | float) and not isinstance(until, bool) and 0 < until < seen.sent / SECOND:
                self._expired.put(seen.call.connection, seen.sent - round(until * SECOND))

    def count(self, key: Hashable, call: Call, error: FieldError) -> None:
        """Count a login, with what is known of it."""
        super().count(key, call, error)
        state = self.state(key)
        assert isinstance(state, FailedLogins)
        for token in call.context.tokens:
            state.mechanisms.add(token["value"].get("saslMechanism"))
        state.expired_ns = self._expired.get(call.connection) or 0
        message = response_of(call).get("errorMessage")
        state.messages.add(short_name(message) if message else None)

    def token(self, token: RawToken) -> None:
        """Note a login by tokens without Kafka's headers."""
        self._raw.put(token.connection, _login(token))

    def connection(self, report: ConnectionReport) -> None:
        """Count a connection that the server closed on a login by raw tokens."""
        login = self._raw.pop(report.connection)
        self._expired.pop(report.connection)
        client = self.facts.client(report.connection)
        connection = report.connection
        if login is None or client is None or connection.initiator is None:
            return
        if any(counter.gaps or counter.cut_packets for counter in connection.counters):
            return
        history = self.facts.history_of(connection)
        served = history is not None and history.answered > login.arrival.time
        closed = connection.ended_by in ("fin", "rst") and connection.ended_direction == 1 - connection.initiator
        if closed and not served and login.direction == "request":
            state = self.state(ErrorKey(at_host(client), None))
            assert isinstance(state, FailedLogins)
            state.mechanisms.add(login.mechanism)
            what = f"{login.mechanism} login by raw tokens; the server closed the connection"
            state.add(login.arrival, what, report)
            state.programs.add(connection)
            state.codes[_CLOSED] = state.codes.get(_CLOSED, 0) + 1

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire at once where the broker said no; on raw tokens the server may close for other reasons."""
        assert isinstance(state, FailedLogins)
        told = any(code != _CLOSED for code in state.codes)
        if state.programs.each(state.count) < self.limits["calls"] or not (told or state.count >= self.limits["again"]):
            return None
        advice = _BY_MECHANISM.get(str(state.mechanisms.only))
        subject, summary = client_subject(key.client, state.clients), self.summary(key, state)
        severity: Severity | None = None if self._served.get(key.client) else "error"
        words = advice._asdict() if advice is not None else {}
        return self.make(state, subject, summary, severity=severity, **words)

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Say what happened, and what is known of why."""
        assert isinstance(state, FailedLogins)
        text = super().summary(key, state)
        if state.expired_ns:
            return f"{text[:-1]}: its token had expired {rough_text(state.expired_ns)} before."
        return f"{text[:-1]}; the broker says: {next(iter(state.messages))}." if len(state.messages) else text


class UnsupportedSaslMechanism(ErrorRule):
    """A client wants a mechanism that the listener does not offer."""

    id = "unsupported-sasl-mechanism"
    title = "The broker does not offer the SASL mechanism"
    severity = "error"
    scope = "client"
    codes = frozenset({UNSUPPORTED_SASL_MECHANISM})
    ends_connections = True
    thresholds = (
        Threshold("calls", 1, "handshakes", "the same request cannot succeed later; Java stops at the first"),
        Threshold("again", 3, "handshakes", "fewer are an info: a client may try another mechanism"),
    )
    meaning = "The client cannot log in, as it and the listener have no SASL mechanism in common."
    wire = "SaslHandshake answered with 33 UNSUPPORTED_SASL_MECHANISM and the list of mechanisms that there are."
    cause = "The client's mechanism ({sasl.mechanism}) is not among sasl.enabled.mechanisms of the listener."
    fix = "Choose one that is offered ({sasl.mechanism}), or enable it on the broker's listener."

    def name_of(self, call: Call, error: FieldError) -> str | None:
        """Count each mechanism apart, with what the broker offers instead."""
        offered = ", ".join(response_of(call).get("mechanisms") or []) or "none"
        return f"{short_name(str(request_of(call).get('mechanism')))} (offered: {short_name(offered)})"

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Name both sides' mechanisms."""
        return f"{key.client.name} asked {times_text(state.count)} for the SASL mechanism {key.name}."


class Logins(Tally):
    """Logins at a listener that can be read, and who made them."""

    __slots__ = ("client_ids",)

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.client_ids = Names()


class Listener(NamedTuple):
    """A listener, and how clients log in there."""

    server: str
    mechanism: str


class CleartextCredentials(Rule[Logins]):
    """A password or token can be read in the capture."""

    id = "cleartext-credentials"
    title = "Credentials cross the network in the clear"
    severity = "warning"
    scope = "listener and mechanism"
    looks_across_clients = True
    state_type = Logins
    apis = frozenset({SASL_HANDSHAKE})
    request_fields = frozenset({"mechanism"})
    response_fields = frozenset({"errorCode"})
    thresholds = (Threshold("calls", 1, "logins", "once is enough to be read"),)
    meaning = "Whoever sees the packets can read the password and log in with it."
    wire = "SaslHandshake for PLAIN (or OAUTHBEARER) is answered without error on a connection without TLS."
    cause = "The listener is SASL_PLAINTEXT, and the mechanism sends the secret itself."
    fix = (
        "Use a SASL_SSL listener ({security.protocol}), or SCRAM instead of PLAIN ({sasl.mechanism}); and change "
        "the password."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with no login under way."""
        super().__init__(*arguments)
        self._raw: Bounded[_Login] = Bounded(MOST_CONNECTIONS)

    def call(self, seen: SeenCall) -> None:
        """Look at the mechanism of a handshake; what TLS protected was decrypted and says so."""
        mechanism = seen.request.get("mechanism")
        if mechanism not in _READABLE or seen.response.get("errorCode") != 0 or "SSL" in seen.call.security_protocol:
            return
        assert seen.call.request is not None
        self._seen(seen.client, Listener(seen.call.server, mechanism), seen.call.request.last, seen.call)

    def token(self, token: RawToken) -> None:
        """Note a password or token that comes without a handshake; behind one it is known already."""
        readable = token.direction == "request" and token.token.mechanism in _READABLE
        if readable and self.facts.client(token.connection) is None:
            self._raw.put(token.connection, _login(token))

    def connection(self, report: ConnectionReport) -> None:
        """Count a login by raw tokens, once it is known that there was no TLS around it."""
        login = self._raw.pop(report.connection)
        if login is not None and report.tls is None:
            client = self.facts.client(report.connection) or Client(None, report.client)
            self._seen(client, Listener(report.server, login.mechanism), login.arrival, report)

    def _seen(self, client: Client, listener: Listener, arrival: Arrival, of: Call | ConnectionReport) -> None:
        state = self.state(listener)
        state.client_ids.add(client.client_id or None)
        state.add(arrival, f"login with {listener.mechanism} on a connection without TLS", of)

    def finding(self, key: Any, state: Logins) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(key, Listener)
        if state.count < self.limits["calls"]:
            return None
        names = list(state.client_ids)
        more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
        who = ", ".join(names[:_FEW]) + more if names else "Clients"
        secret, fix = _READABLE[key.mechanism]
        summary = (
            f"{who} logged in at {key.server} {times_text(state.count)} with SASL/{key.mechanism} without TLS: "
            f"{secret} can be read."
        )
        subject = {
            "clientId": state.client_ids.only or names,
            "client": connections_subject(state.clients),
            "server": key.server,
            "principal": None,
        }
        return self.make(state, subject, summary, fix=fix)


class Closed(Tally):
    """Requests that the server left unanswered."""

    __slots__ = ("closed",)

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.closed: Bounded[bool] = Bounded(MOST_NAMES)
        """The connections that the server closed."""


class RequestBeforeSasl(Rule[Closed]):
    """A client without SASL talks to a listener that demands it."""

    id = "request-before-sasl"
    title = "The client does not log in where it has to"
    severity = "error"
    scope = "client"
    state_type = Closed
    thresholds = (Threshold("calls", 2, "connections", "one may be a broker that was shutting down"),)
    meaning = "The listener closes the connection at the first request that is not a login."
    wire = (
        "ApiVersions is answered, Metadata (or whatever else comes first) never; no SaslHandshake; the server closes "
        "the connection."
    )
    cause = "The client is told not to log in ({security.protocol}) while the listener is SASL_PLAINTEXT or SASL_SSL."
    fix = (
        "Let the client log in ({security.protocol}; {sasl.mechanism}; {sasl.jaas.config}); or use another listener's "
        "port."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with nobody served."""
        super().__init__(*arguments)
        self._served: Bounded[bool] = Bounded(MOST_CONNECTIONS)
        """Clients that got further at a server, by both."""
        self._refused: Bounded[bool] = Bounded(MOST_CONNECTIONS)
        """Connections that the server may have closed for a request's version."""

    def serves(self, seen: SeenCall) -> None:
        """Note that a server serves a client, or that the client knows of logins."""
        self._served.put((at_host(seen.client), seen.call.server), True)

    def token(self, token: RawToken) -> None:
        """Note that the client logs in."""
        client = self.facts.client(token.connection)
        if client is not None:
            self._served.put((at_host(client), token.server), True)

    def unanswered(self, call: Call) -> None:
        """Count requests that the server answered by closing."""
        connection, header = call.connection, call.header
        if call.outcome != "unanswered" or header is None or call.request is None:
            return
        server = 1 - client_direction(call)
        if header.api_key in BEFORE_LOGIN:
            return
        if may_be_refused(self.facts, call.server, header.api_key, header.api_version):
            self._refused.put(connection, True)
        if self._refused.get(connection):
            return
        if connection.ended_direction == server and connection.initiator == 1 - server:
            state = self.state((at_host(client_of(call)), call.server))
            what = f"{call.api_name} never answered; the server closed the connection"
            state.add(call.request.last, what, call)
            state.closed.put(connection, True)

    def finding(self, key: Any, state: Closed) -> Finding | None:
        """Fire where no Metadata was ever answered and no login tried."""
        client, server = key
        if self._served.get(key) or len(state.closed) < self.limits["calls"]:
            return None
        summary = (
            f"{server} left the first {counted(state.count, 'request')} of {client.name} unanswered and closed: "
            "the listener demands a login (SASL), and the client does not know."
        )
        return self.make(state, client_subject(client, state.clients) | {"server": server}, summary)


SECURITY_RULES: tuple[type[Rule[Any]], ...] = (
    AuthFailureLoop,
    UnsupportedSaslMechanism,
    RequestBeforeSasl,
    CleartextCredentials,
)
