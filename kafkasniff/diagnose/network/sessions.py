"""Rules about SASL sessions that end (KIP-368)."""

from typing import Any, NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.authentication import BEFORE_LOGIN, RawToken
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.capture.packets import Arrival
from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.diagnose.facts.sides import was_refused
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import MOST_CONNECTIONS, Bounded
from kafkasniff.diagnose.memory.rates import MILLISECOND, SECOND
from kafkasniff.diagnose.memory.tallies import MOST_NAMES, Cited, Tally
from kafkasniff.diagnose.rule import Rule, State, Threshold, client_subject, seconds_text, times_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import SASL_AUTHENTICATE
from kafkasniff.tcp.events import Connection

_ALIKE = 1.25
"""Connections whose ages differ by less were closed as their sessions were over: what ends a connection for other
reasons does not come so long after the login each time."""


class Session(NamedTuple):
    """A login of a connection."""

    since: int
    """When it was sent, the earliest at which the broker's clock may have begun (ns)."""
    lifetime_ms: int
    """How long it lasts; 0 where the client is not told."""

    def is_over(self, time: int) -> bool:
        """Tell whether a request that is sent at a time (ns) is known to come too late."""
        return self.lifetime_ms > 0 and time >= self.since + self.lifetime_ms * MILLISECOND


class SessionRule(Rule[State]):
    """Knows the SASL sessions of connections."""

    apis = frozenset({SASL_AUTHENTICATE})
    response_fields = frozenset({"errorCode", "sessionLifetimeMs"})

    def __init__(self, *arguments: Any) -> None:
        """Begin with no session."""
        super().__init__(*arguments)
        self._sessions: Bounded[Session] = Bounded(MOST_CONNECTIONS)
        self._told: Bounded[int] = Bounded()
        """How long sessions are by what a server told anybody (ms)."""

    def call(self, seen: SeenCall) -> None:
        """Note a login, and how long its session lasts; version 0 does not tell it, and is cut off all the same."""
        lifetime = seen.response.get("sessionLifetimeMs", 0)
        if lifetime > 0:
            self._told.put(seen.call.server, lifetime)
        if seen.response.get("errorCode"):
            return
        untold = seen.call.api_version == 0 or seen.call.response is None
        if untold or lifetime > 0:
            session = Session(seen.sent, lifetime or self._told.get(seen.call.server) or 0)
            self._sessions.put(seen.call.connection, session)
        else:
            self.forget(seen.call.connection)

    def token(self, token: RawToken) -> None:
        """Note a login whose tokens stand without Kafka's headers: it is told nothing either."""
        if token.direction == "request":
            session = Session(token.arrival.time, self._told.get(token.server) or 0)
            self._sessions.put(token.connection, session)

    def session(self, connection: Connection) -> Session | None:
        """Give the latest session of a connection that may end, as far as known."""
        return self._sessions.get(connection)

    def forget(self, connection: Connection) -> None:
        """Forget a connection's session."""
        self._sessions.pop(connection)


class _Late(NamedTuple):
    """A request on a connection with a session that waits for its answer."""

    name: str
    sent: Arrival
    session: Session
    client: Client
    cited: Cited
    principal: str | None
    software: str | None


class Sessions(Tally):
    """Connections that were used beyond the end of their session."""

    __slots__ = ("ages", "closed", "lifetime_ms", "principal", "software", "told")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.told = 0
        """Of them, those whose lifetime is known."""
        self.lifetime_ms = 0
        self.ages: list[int] = []
        """How long after the login the first of the others were closed (ns)."""
        self.closed: dict[str, tuple[int, int]] = {}
        """By server, how many of them it closed, one after the other, and when the latest (ns)."""
        self.software: str | None = None
        self.principal: str | None = None


class ReauthenticationMissing(SessionRule[Sessions]):
    """A client does not log in again before its session ends."""

    id = "reauthentication-missing"
    title = "The client does not log in again in time, and is cut off"
    severity = "error"
    scope = "client"
    state_type = Sessions
    thresholds = (
        Threshold("connections", 2, "connections", "one may have been about to log in"),
        Threshold("alike", 3, "connections", "of the same age, one after the other, where no lifetime was told"),
        Threshold("age", 2, "s", "after the login; what is closed sooner was refused"),
        Threshold("upon", 1, "s", "from the request to the close: the broker closes at the request"),
    )
    meaning = "The broker ends the session when it is over, and with it the connection; what was under way fails."
    wire = (
        "SaslAuthenticate v1 and later tells sessionLifetimeMs; no SaslAuthenticate before it is over; the server "
        "closes the connection at the next request (KIP-368). A client that logs in with version 0, or with tokens "
        "without Kafka's headers, is not told: each of its connections is closed as long after its login."
    )
    cause = (
        "connections.max.reauth.ms is set (or the OAuth token's life ends), and the client does not log in again "
        "in time ({re-authentication})."
    )
    fix = (
        "Use a library that re-authenticates (Java 2.2+, librdkafka 2.2+, franz-go, sarama, kafkajs, kafka-python "
        "3+); or raise connections.max.reauth.ms and the life of tokens, and keep retries on."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with no request waiting."""
        super().__init__(*arguments)
        self._late: Bounded[_Late] = Bounded(MOST_CONNECTIONS)
        """The first request of a connection since the last answer, after the session's end where that is known."""
        self._refused: Bounded[int] = Bounded()
        """When a server last refused a connection (ns)."""

    def unanswered(self, call: Call) -> None:
        """Note a request that may have come after the session's end."""
        request, session = call.request, self.session(call.connection)
        if session is None or request is None or call.api_key in BEFORE_LOGIN:
            return
        if session.lifetime_ms and not session.is_over(request.first.time):
            return
        history, before = self.facts.history(call), self._late.get(call.connection)
        if before is None or history.answered > before.sent.time:
            software = f"{call.software_name} {call.software_version}" if call.software_name else None
            cited, name = Cited(call.client, call.number), call.api_name or ""
            late = _Late(name, request.first, session, history.client, cited, call.principal, software)
            self._late.put(call.connection, late)

    def connection(self, report: ConnectionReport) -> None:
        """Count a connection that the server closed upon such a request; also where other bytes were lost."""
        connection, client = report.connection, report.connection.initiator
        late, history = self._late.pop(connection), self.facts.history_of(connection)
        self.forget(connection)
        if was_refused(connection):
            self._refused.put(report.server, connection.last.time)
        if late is None or history is None or history.answered > late.sent.time or client is None:
            return
        closed = connection.first_fin or connection.last
        by_server = connection.ended_by in ("fin", "rst") and connection.ended_direction == 1 - client
        # A request behind a gap counts from when the gap was given up, which may be later than the close.
        sent = min(late.sent.time, closed.time)
        if by_server and closed.time - sent <= self.limits["upon"] * SECOND:
            self._count(report, late, sent, closed.time)

    def _count(self, report: ConnectionReport, late: _Late, sent: int, closed: int) -> None:
        age = sent - late.session.since
        state = self.state(late.client)
        if late.session.lifetime_ms:
            state.told += 1
            state.lifetime_ms = late.session.lifetime_ms
            what = (
                f"{late.name} {seconds_text(age - state.lifetime_ms * MILLISECOND)} after the session's end, unanswered"
            )
        else:
            count, latest = state.closed.get(report.server, (0, 0))
            after = report.connection.first.time >= latest and age >= self.limits["age"] * SECOND
            if not after or len(state.ages) >= MOST_NAMES:
                return
            state.ages.append(age)
            state.closed[report.server] = (count + 1, closed)
            what = f"{late.name} {seconds_text(age)} after the login, unanswered"
        state.principal, state.software = late.principal, late.software or state.software
        state.add(late.sent, what, late.cited)

    def finding(self, key: Any, state: Sessions) -> Finding | None:
        """Fire from the thresholds on."""
        assert isinstance(key, Client)
        software = f" ({state.software})" if state.software else ""
        cut_off = f"{key.name}{software} was cut off {times_text(state.count)}"
        if state.told >= self.limits["connections"]:
            lifetime = f"{state.lifetime_ms / 1000:g} s"
            summary = f"{cut_off} as its session of {lifetime} was over, and it had not logged in again."
        elif self._are_alike(state):
            summary = (
                f"{cut_off}, each time {seconds_text(min(state.ages))} or little more after its login, and had not "
                f"logged in again: so the broker ends sessions; this login is not told how long they last."
            )
        else:
            return None
        subject = client_subject(key, state.clients) | {"principal": state.principal}
        return self.make(state, subject, summary)

    def _are_alike(self, state: Sessions) -> bool:
        """Tell whether connections grow equally old, and not as a server stops."""
        if len(state.ages) < self.limits["alike"] or max(state.ages) >= _ALIKE * min(state.ages):
            return False
        assert state.first is not None
        refused = [self._refused.get(server) or 0 for server in state.closed]
        return max(refused) < state.first.time and any(count > 1 for count, _ in state.closed.values())


SESSION_RULES: tuple[type[Rule[Any]], ...] = (ReauthenticationMissing,)
