"""A rule about connections that something on the way forgets."""

from typing import Any, NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.capture.packets import Arrival
from kafkasniff.diagnose.facts.clients import Client, client_of
from kafkasniff.diagnose.facts.sides import client_direction
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import MOST_CONNECTIONS, Bounded
from kafkasniff.diagnose.memory.rates import SECOND
from kafkasniff.diagnose.memory.tallies import Cited, Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, counted, seconds_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import API_VERSIONS


class Idle(NamedTuple):
    """A request that was sent after idleness and not answered soon."""

    client: Client
    name: str
    direction: int
    """That of requests in the connection."""
    sent: Arrival
    cited: Cited
    idle: int
    waited: int
    """Nanoseconds, both."""


def _idle(call: Call, idle: int, waited: int) -> Idle:
    assert call.request is not None
    name, cited = call.api_name or "", Cited(call.client, call.number)
    return Idle(client_of(call), name, client_direction(call), call.request.first, cited, idle, waited)


class ConnectionForgotten(Rule[Tally]):
    """Something on the way forgets idle connections."""

    id = "connection-forgotten"
    title = "Idle connections are forgotten on the way"
    severity = "error"
    scope = "client and server"
    state_type = Tally
    thresholds = (
        Threshold("connections", 1, "connections", "each is a stop of seconds or minutes"),
        Threshold("idle", 5, "s", "of idleness before; firewalls and load balancers forget after minutes"),
        Threshold("repeats", 3, "segments", "sent again; a lost packet is sent again once or twice"),
        Threshold("seconds", 3, "s", "without an acknowledgement; TCP's repeats take that long"),
    )
    meaning = (
        "Something between client and broker no longer knows the connection and drops its packets; the client notices "
        "only when its own timeout is over."
    )
    wire = (
        "After idleness a request is sent again and again by TCP and never acknowledged, while a new connection to the "
        "same server works."
    )
    cause = "A NAT gateway, firewall or load balancer forgets idle flows (350 s on AWS, 4 minutes on Azure)."
    fix = (
        "Close idle connections before they are forgotten on the way ({connections.max.idle.ms}); or send TCP "
        "keep-alives more often than that ({SO_KEEPALIVE}); give up sooner ({request.timeout.ms})."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with no request waiting."""
        super().__init__(*arguments)
        self._idle: Bounded[Idle] = Bounded(MOST_CONNECTIONS)
        self._served: Bounded[int] = Bounded()
        """When the latest connection was served that a client made to a server (ns), by both."""

    def begins(self, seen: SeenCall) -> None:
        """Note a connection that works."""
        if seen.call.response is not None:
            self._served.put((seen.client, seen.call.server), seen.call.connection.first.time)

    def unanswered(self, call: Call) -> None:
        """Note a request that nobody answered."""
        self._note(call, self.facts.history(call).answered)

    def slow(self, seen: SeenCall) -> None:
        """Note a request that was answered late, as when the flow came back."""
        self._note(seen.call, seen.history.answered)

    def _note(self, call: Call, answered: int) -> None:
        if call.request is None or not answered or call.api_key == API_VERSIONS:
            return
        idle = call.request.first.time - answered
        waited = call.ended.time - call.request.first.time
        if idle >= self.limits["idle"] * SECOND and waited >= self.limits["seconds"] * SECOND:
            self._idle.touch(call.connection, lambda: _idle(call, idle, waited))

    def connection(self, report: ConnectionReport) -> None:
        """Look whether the request was sent again and again."""
        found = self._idle.pop(report.connection)
        if found is None:
            return
        client = found.direction
        counters = report.connection.counters
        if counters[client].late_retransmissions < self.limits["repeats"] or not counters[1 - client].packets:
            return
        key = found.client, report.server
        if (self._served.get(key) or 0) <= found.sent.time:
            return  # No new connection worked: the server itself may be down.
        repeats = counters[client].late_retransmissions
        what = (
            f"{found.name} after {seconds_text(found.idle)} of idleness, sent again {repeats:,} times, not "
            f"acknowledged for {seconds_text(found.waited)}"
        )
        self.state(key).add(found.sent, what, found.cited)

    def finding(self, key: Any, state: Tally) -> Finding | None:
        """Fire from the threshold on."""
        client, server = key
        if state.count < self.limits["connections"]:
            return None
        summary = (
            f"{counted(state.count, 'idle connection')} of {client.name} to {server} forgotten on the way: "
            f"{state.evidence[0].what}; a new connection worked."
        )
        return self.make(state, client_subject(client, state.clients) | {"server": server}, summary)


FORGOTTEN_RULES: tuple[type[Rule[Any]], ...] = (ConnectionForgotten,)
