# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about connections that the server closes."""

from typing import Any, NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.authentication import BEFORE_LOGIN
from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.diagnose.cluster.brokers import may_be_refused
from kafkasniff.diagnose.facts.clients import Client, host_of
from kafkasniff.diagnose.facts.sides import client_direction
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import MOST_CONNECTIONS, Bounded
from kafkasniff.diagnose.memory.rates import SECOND
from kafkasniff.diagnose.memory.tallies import Names, Tally
from kafkasniff.diagnose.network.sessions import SessionRule
from kafkasniff.diagnose.options.library import Advice
from kafkasniff.diagnose.rule import Rule, Threshold, connections_subject, counted, seconds_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import PRODUCE
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


_UNSUPPORTED = Pending("in a version that the server does not know", None, 0)
"""The request for which a connection was closed, of which unsupported-version tells."""


class Closings(Tally):
    """Connections that the server closed, one after the other."""

    __slots__ = ("client_ids", "hidden", "kinds", "latest", "silent", "smallest_cut")

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
        self.smallest_cut = 1 << 62
        """Bytes of the smallest request that was not answered."""
        self.client_ids = Names()


class ConnectionClosedByServer(SessionRule[Closings]):
    """A server closes a client's connections while it waits for an answer."""

    id = "connection-closed-by-server"
    title = "The server closes connections instead of answering"
    severity = "error"
    scope = "client host and server"
    state_type = Closings
    used = frozenset({PRODUCE})
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
        if call.outcome == "no-response-expected" and call.request is not None:
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
        if may_be_refused(self.facts, call.server, header.api_key, header.api_version):
            # The connection is closed for it, and what is under way behind it goes unanswered as well.
            self._pending.put(connection, _UNSUPPORTED)
            return
        if self._pending.get(connection) is _UNSUPPORTED:
            return
        history = self.facts.history(call)
        served = history.served or self._serves_without_login.get((history.client, call.server))
        session = self.session(connection)
        over = session is not None and session.is_over(request.first.time)
        if (served and not over) or header.api_key in BEFORE_LOGIN:
            name = f"{call.api_name} v{call.api_version}"
            self._pending.put(connection, Pending(name, call.client_id, request.size))

    def connection(self, report: ConnectionReport) -> None:
        """Count a connection that the server closed."""
        connection = report.connection
        client = connection.initiator
        if client is None:
            return
        counters = connection.counters
        of_server, pending = counters[1 - client], self._pending.pop(connection) or self._refused_write(connection)
        self.forget(connection)
        if pending is _UNSUPPORTED:
            return
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
        subject = {
            "client": connections_subject(state.clients) or key.host,
            "clientId": state.client_ids.only or list(state.client_ids),
            "server": key.server,
        }
        summary = f"{key.server} closed {counted(state.count, 'connection')} of {key.host}, one after the other, {why}."
        return self.make(state, subject, summary, **(advice._asdict() if advice is not None else {}))


CLOSED_RULES: tuple[type[Rule[Any]], ...] = (ConnectionClosedByServer,)
