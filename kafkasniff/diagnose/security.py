"""Rules about logins and rights."""

from typing import Any

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.diagnose.error_rule import ErrorKey, ErrorRule, ErrorTally
from kafkasniff.diagnose.facts import (
    METADATA,
    SASL_AUTHENTICATE,
    SASL_HANDSHAKE,
    client_of,
    request_of,
    response_of,
)
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.groups import group_of
from kafkasniff.diagnose.memory import Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, times_text

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
        "an authentication error instead of trying on. connection.failed.authentication.delay.ms on the broker "
        "slows such clients."
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
    fix = (
        "Set sasl.mechanism (sasl.mechanisms in librdkafka) to one that is offered, or enable it on the broker's "
        "listener."
    )
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

    def finding(self, key: Any, state: Tally) -> Finding | None:
        """Fire from the threshold on."""
        client, mechanism = key
        if state.count < self.limits["calls"]:
            return None
        secret = "password" if mechanism == "PLAIN" else "token"
        summary = (
            f"{client.name} logged in {times_text(state.count)} with SASL/{mechanism} without TLS: its {secret} can "
            f"be read."
        )
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
    cause = (
        "An ACL is missing: IdempotentWrite (or Write) for producers, Read for consumers, Write on the "
        "transactional id."
    )
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
    fix = (
        "Set security.protocol=SASL_SSL (or SASL_PLAINTEXT), sasl.mechanism and the credentials; or use another "
        "listener's port."
    )
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

    def finding(self, key: Any, state: Closed) -> Finding | None:
        """Fire where no Metadata was ever answered and no login tried."""
        client, server = key
        if state.served or state.count < self.limits["calls"]:
            return None
        summary = (
            f"{server} closed {state.count:,} connections of {client.name} at their first Metadata request: "
            "the listener demands a login (SASL), and the client does not know."
        )
        return self.make(state, client_subject(client, state.clients) | {"server": server}, summary)


SECURITY_RULES: tuple[type[Rule[Any]], ...] = (
    AuthFailureLoop,
    UnsupportedSaslMechanism,
    RequestBeforeSasl,
    CleartextCredentials,
    AuthorizationDenied,
    GroupAuthorizationDenied,
)
