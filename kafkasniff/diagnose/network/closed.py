"""Rules about connections that the server closes."""

from typing import Any, NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.authentication import BEFORE_LOGIN, RawToken
from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.diagnose.cluster.brokers import below_kafka4
from kafkasniff.diagnose.facts.clients import Client, client_of, host_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import MOST_CONNECTIONS, Bounded
from kafkasniff.diagnose.memory.rates import MILLISECOND, SECOND
from kafkasniff.diagnose.memory.tallies import MOST_NAMES, Names, Tally
from kafkasniff.diagnose.network.connections import client_direction
from kafkasniff.diagnose.options.library import Advice
from kafkasniff.diagnose.rule import (
    Rule,
    State,
    Threshold,
    client_subject,
    connections_subject,
    counted,
    seconds_text,
    times_text,
)
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import PRODUCE, SASL_AUTHENTICATE, SASL_HANDSHAKE
from kafkasniff.tcp.events import Connection

_LARGE = 16 << 10
"""Bytes of a request from which on its size may be why it was cut off, where no such one was ever answered."""


_TOO_MANY = Advice(
    "A limit of connections (max.connections, max.connections.per.ip, max.connection.creation.rate), or a listener "
    "that expects something else.",
    "Count the connections of the host. Raise max.connections.per.ip (or its overrides) or max.connections, or share "
    "one client in a program.",
)
_TOO_LARGE = Advice(
    "The request is larger than socket.request.max.bytes, or the broker failed while it read it.",
    "Send less at once ({max.request.size}; {batch.size}), or raise socket.request.max.bytes.",
)
_REFUSED = Advice(
    "The broker refused the write, and with acks=0 has no other way to say so.",
    "Let the client be told ({acks=all}): the error is then in the answer. Common ones are a record that is too large, "
    "a partition without leader, and a right that lacks.",
)
"""What is behind a closing, by how it looks."""

_ALIKE = 1.25
"""Connections with logins whose ages differ by less were closed as their sessions were over: what ends a connection for
other reasons does not come so long after the login each time."""


class HostKey(NamedTuple):
    """The programs on a host, and a server."""

    programs: Client
    server: str

    @property
    def host(self) -> str:
        """Give the host's address."""
        return self.programs.host


class Pending(NamedTuple):
    """A request that waits for its answer."""

    name: str
    client_id: str | None
    size: int
    hidden: bool = False
    """Whether it was a write with acks=0, whose error a broker cannot answer (KafkaApis.handleProduceRequest)."""
    session: int | None = None
    """How long after the beginning of a connection with a login it was sent (ns)."""


class Closings(Tally):
    """Connections that the server closed, one after the other."""

    __slots__ = ("client_ids", "hidden", "kinds", "latest", "sessions", "silent", "smallest_cut")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.latest = 0
        """When the latest of them was closed (ns)."""
        self.silent = 0
        """Of them, those on which the server sent not a byte."""
        self.kinds = Names()
        """What they were asked last."""
        self.hidden = 0
        """Those that were closed upon a write with acks=0."""
        self.sessions: list[int] = []
        """How old the first of those with logins were when that was sent (ns)."""
        self.smallest_cut = 1 << 62
        """Bytes of the smallest request that was not answered."""
        self.client_ids = Names()


class _SessionRule(Rule[State]):
    """Knows when the SASL sessions of connections are over."""

    apis = frozenset({SASL_AUTHENTICATE})
    response_fields = frozenset({"errorCode", "sessionLifetimeMs"})

    def __init__(self, *arguments: Any) -> None:
        """Begin with no session."""
        super().__init__(*arguments)
        self._ends: Bounded[tuple[int, int]] = Bounded(MOST_CONNECTIONS)
        """By connection, when its session ends (ns), and how long it is (ms)."""
        self._told: Bounded[int] = Bounded()
        """How long sessions are by what a server told anybody (ms)."""

    def call(self, seen: SeenCall) -> None:
        """Note how long a session lasts, by the earliest that the broker's clock may have begun."""
        lifetime = seen.response.get("sessionLifetimeMs", 0)
        if lifetime > 0:
            self._told.put(seen.call.server, lifetime)
        elif seen.call.api_version == 0:
            lifetime = self._told.get(seen.call.server) or 0  # Version 0 does not tell it, and is cut off all the same.
        if lifetime > 0 and not seen.response.get("errorCode"):
            self._ends.put(seen.call.connection, (seen.sent + lifetime * MILLISECOND, lifetime))

    def token(self, token: RawToken) -> None:
        """Note the same of a login whose tokens stand without Kafka's headers: it is told nothing either."""
        lifetime = self._told.get(token.server) or 0
        if lifetime > 0 and token.direction == "request":
            self._ends.put(token.connection, (token.arrival.time + lifetime * MILLISECOND, lifetime))

    def session_over(self, call: Call) -> tuple[int, int] | None:
        """Give when a session ended (ns), and how long it was (ms); None when the request was sent before that."""
        end = self._ends.get(call.connection)
        return end if end is not None and call.request is not None and call.request.first.time >= end[0] else None


class ConnectionClosedByServer(_SessionRule[Closings]):
    """A server closes a client's connections while it waits for an answer."""

    id = "connection-closed-by-server"
    title = "The server closes connections instead of answering"
    severity = "error"
    scope = "client host and server"
    state_type = Closings
    thresholds = (
        Threshold("connections", 3, "connections", "each begun after the last was closed; a broker's stop closes once"),
        Threshold("soon", 5, "s", "after which a connection without a byte of the server's is no refused one"),
        Threshold("upon", 1, "s", "after a connection's first write with acks=0, which it is closed for"),
    )
    meaning = "The broker accepts the connection, and closes it before it answers; the client connects again and again."
    wire = (
        "FIN or RST of the server before it sent any byte, or while a request waits for its answer, on one connection "
        "after the other."
    )
    cause = (
        "Without any byte: a limit of connections (max.connections, max.connections.per.ip, "
        "max.connection.creation.rate), or a listener that expects something else. With a request pending: the request "
        "is larger than socket.request.max.bytes, or the broker failed while it read it. After a write with acks=0: "
        "the broker refused the write, and has no other way to say so."
    )
    fix = (
        "Look into the broker's log at that time. Where it sent no byte: count the connections of the host; raise "
        "max.connections.per.ip (or its overrides), or share one client in a program. For large requests: send less "
        "at once ({max.request.size}; {batch.size}), or raise socket.request.max.bytes."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with no request pending."""
        super().__init__(*arguments)
        self._pending: Bounded[Pending] = Bounded(MOST_CONNECTIONS)
        """The last request of a connection that the server left unanswered and closed."""
        self._writes: Bounded[tuple[int, Pending]] = Bounded(MOST_CONNECTIONS)
        """The first write with acks=0 of a connection, and when it was sent (ns)."""
        self._serving: Bounded[bool] = Bounded()
        """Servers that have answered somebody."""
        self._serves_without_login: Bounded[bool] = Bounded()
        """Clients with the servers that have answered them without a login."""
        self._passed: Bounded[int] = Bounded()
        """Bytes of the largest request of a host that a server answered, by both."""

    def serves(self, seen: SeenCall) -> None:
        """Note that a server serves."""
        self._serving.put(seen.call.server, True)
        if seen.key not in BEFORE_LOGIN:
            self._serves_without_login.put((seen.client, seen.call.server), True)

    def uses(self, seen: SeenCall) -> None:
        """Note a first write that asks for no answer."""
        call = seen.call
        if seen.key == PRODUCE and call.outcome == "no-response-expected" and call.request is not None:
            name = f"{call.api_name} v{call.api_version}"
            self._writes.put(call.connection, (call.request.last.time, Pending(name, call.client_id, 0, hidden=True)))

    def unanswered(self, call: Call) -> None:
        """Note a request that was sent before the server closed; rules of their own look at logins and versions."""
        connection, header, request = call.connection, call.header, call.request
        if call.outcome != "unanswered" or header is None or request is None:
            return
        if connection.ended_direction != 1 - client_direction(call) or connection.initiator is None:
            return
        fin = connection.first_fin
        if fin is not None and request.first.time > fin.time:
            return
        known = self.facts.supports(call.server, header.api_key, header.api_version)
        if known is False or (known is None and below_kafka4(header.api_key, header.api_version)):
            return
        history = self.facts.history(call)
        served = history.served or self._serves_without_login.get((history.client, call.server))
        if (served and self.session_over(call) is None) or header.api_key in BEFORE_LOGIN:
            name = f"{call.api_name} v{call.api_version}"
            age = request.first.time - connection.first.time if history.used(SASL_HANDSHAKE) else None
            self._pending.put(connection, Pending(name, call.client_id, request.size, session=age))

    def connection(self, report: ConnectionReport) -> None:
        """Count a connection that the server closed."""
        connection = report.connection
        client = connection.initiator
        if client is None:
            return
        counters = connection.counters
        of_server, pending = counters[1 - client], self._pending.pop(connection) or self._refused_write(connection)
        self._ends.pop(connection)
        key = HostKey(Client(None, host_of(report.client)), report.server)
        history = self.facts.history_of(connection)
        if history is not None and history.largest > (self._passed.get(key) or 0):
            self._passed.put(key, history.largest)
        if connection.ended_by not in ("fin", "rst") or connection.ended_direction != 1 - client:
            return
        if any(counter.gaps or counter.cut_packets for counter in counters) or not of_server.packets:
            return
        if report.response_start[:2] == b"\x15\x03":
            return  # A TLS alert, of which plaintext-to-tls-port tells.
        if report.tls is not None and of_server.data_bytes:
            self._serving.put(report.server, True)
        known = report.protocol == "empty" or (report.protocol == "tls" and self._serving.get(report.server))
        silent = not of_server.data_bytes and (pending is not None or known)
        soon = connection.last.time - connection.first.time < self.limits["soon"] * SECOND
        is_open = connection.round_trip_ns is not None
        if not (silent and soon and is_open) and pending is None:
            return
        state = self.state(key)
        if connection.first.time < state.latest:
            return
        state.latest = connection.last.time
        name = pending.name if pending is not None else "nothing"
        what = f"{name} on a connection of {seconds_text(connection.last.time - connection.first.time)}"
        state.silent += not of_server.data_bytes
        state.kinds.add(name)
        state.hidden += pending is not None and pending.hidden
        if pending is not None:
            state.client_ids.add(short_name(pending.client_id) if pending.client_id else None)
            state.smallest_cut = min(state.smallest_cut, pending.size)
            if pending.session is not None and len(state.sessions) < MOST_NAMES:
                state.sessions.append(pending.session)
        state.add(connection.last, f"closed by the server: {what}", report)

    def _refused_write(self, connection: Connection) -> Pending | None:
        """Give the write with acks=0 that a connection was closed for."""
        write, fin = self._writes.pop(connection), connection.first_fin
        if write is None or fin is None or not 0 <= fin.time - write[0] <= self.limits["upon"] * SECOND:
            return None
        return write[1]

    def finding(self, key: Any, state: Closings) -> Finding | None:
        """Fire from the threshold on, where the server serves others, or answered before it closed."""
        assert isinstance(key, HostKey)
        if state.count < self.limits["connections"]:
            return None
        all_silent = state.silent == state.count
        if all_silent and not (self._serving.get(key.server) or self.facts.is_kafka(key.server)):
            return None
        advice: Advice | None = None
        if all_silent:
            advice = _TOO_MANY
            why = (
                "before it sent any byte, while it serves others: a limit of connections (max.connections, "
                "max.connections.per.ip, max.connection.creation.rate)"
            )
        elif 2 * state.hidden > state.count:
            advice = _REFUSED
            why = (
                f"right after {', '.join(state.kinds)} with acks=0: so a broker shows that it refused the write, as it "
                f"may not answer"
            )
        elif not state.silent and state.smallest_cut > max(_LARGE, passed := self._passed.get(key) or 0):
            advice = _TOO_LARGE
            why = (
                f"while requests of {state.smallest_cut:,} bytes and more were under way ({', '.join(state.kinds)}), "
                f"and answered none larger than {passed:,}: look at socket.request.max.bytes (default 100 MiB)"
            )
        else:
            why = f"while {', '.join(state.kinds)} waited for an answer: the broker's log says why"
            if len(state.sessions) == min(state.count, MOST_NAMES):
                why += (
                    f"; each had logged in {seconds_text(min(state.sessions))} or longer before, so that its session "
                    f"may have been over (connections.max.reauth.ms)"
                )
                if max(state.sessions) < _ALIKE * min(state.sessions):
                    advice = Advice(ReauthenticationMissing.cause, ReauthenticationMissing.fix)
        subject = {
            "client": connections_subject(state.clients) or key.host,
            "clientId": state.client_ids.only or list(state.client_ids),
            "server": key.server,
        }
        summary = f"{key.server} closed {counted(state.count, 'connection')} of {key.host}, one after the other, {why}."
        return self.make(state, subject, summary, **(advice._asdict() if advice is not None else {}))


class Sessions(Tally):
    """Connections that were used beyond the end of their session."""

    __slots__ = ("lifetime_ms", "principal", "software")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.lifetime_ms = 0
        self.software: str | None = None
        self.principal: str | None = None


class ReauthenticationMissing(_SessionRule[Sessions]):
    """A client does not log in again before its session ends."""

    id = "reauthentication-missing"
    title = "The client does not log in again in time, and is cut off"
    severity = "error"
    scope = "client"
    state_type = Sessions
    thresholds = (Threshold("connections", 2, "connections", "one may have been about to log in"),)
    meaning = "The broker ends the session when it is over, and with it the connection; what was under way fails."
    wire = (
        "SaslAuthenticate v1 and later tells sessionLifetimeMs; no SaslAuthenticate before it is over; the server "
        "closes the connection at the next request (KIP-368)."
    )
    cause = (
        "connections.max.reauth.ms is set (or the OAuth token's life ends), and the client does not log in again "
        "in time ({re-authentication})."
    )
    fix = (
        "Use a library that re-authenticates (Java 2.2+, librdkafka 2.2+, franz-go, sarama, kafkajs, kafka-python "
        "3+); or raise connections.max.reauth.ms and the life of tokens, and keep retries on."
    )

    def unanswered(self, call: Call) -> None:
        """Look whether a request that the server did not answer came after the session's end."""
        end, connection = self.session_over(call), call.connection
        if end is None or call.request is None or call.outcome != "unanswered":
            return
        if connection.ended_direction != 1 - client_direction(call):
            return
        self._ends.pop(connection)
        state = self.state(client_of(call))
        state.lifetime_ms = end[1]
        state.principal = call.principal
        if call.software_name:
            state.software = f"{call.software_name} {call.software_version}"
        late = seconds_text(call.request.first.time - end[0])
        state.add(call.request.first, f"{call.api_name} {late} after the session's end, unanswered", call)

    def connection(self, report: ConnectionReport) -> None:
        """Forget its session."""
        self._ends.pop(report.connection)

    def finding(self, key: Any, state: Sessions) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(key, Client)
        if state.count < self.limits["connections"]:
            return None
        software = f" ({state.software})" if state.software else ""
        summary = (
            f"{key.name}{software} was cut off {times_text(state.count)} as its session of "
            f"{state.lifetime_ms / 1000:g} s was over, and it had not logged in again."
        )
        subject = client_subject(key, state.clients) | {"principal": state.principal}
        return self.make(state, subject, summary)


CLOSED_RULES: tuple[type[Rule[Any]], ...] = (ConnectionClosedByServer, ReauthenticationMissing)
