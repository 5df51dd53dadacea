"""Rules about the way between client and server, and about clients that do not wait for what they asked for."""

from typing import Any

from kafkasniff.calls.call import Call, ConnectionReport
from kafkasniff.capture.packets import Arrival
from kafkasniff.diagnose.facts import FETCH, JOIN_GROUP, SHARE_FETCH, Client, client_of, request_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory import MILLISECOND, MOST_CONNECTIONS, SECOND, Bounded, Cited, Tally
from kafkasniff.diagnose.network.connections import client_direction
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, counted, seconds_text, times_text
from kafkasniff.diagnose.seen import SeenCall
from kafkasniff.fields import NamedTuple

_FULL = 1_200
"""Bytes from which on a request fills a segment of a path whose MTU is not far below Ethernet's 1,500."""


class ServedBy(NamedTuple):
    """A client and the server that it talks to."""

    client: Client
    server: str


class Waiting(NamedTuple):
    """A request that was not answered."""

    client: Client
    name: str
    direction: int
    size: int
    sent: Arrival
    cited: Cited


class Sizes(Tally):
    """Which sizes of requests get through."""

    __slots__ = ("largest", "smallest_stuck")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.largest = 0
        """Bytes of the largest request that was answered."""
        self.smallest_stuck = 0
        """Bytes of the smallest that was sent again and again."""


class PathMtu(Rule[Sizes]):
    """Full-size packets do not get through."""

    id = "path-mtu"
    title = "Large packets do not get through"
    severity = "error"
    scope = "client and server"
    state_type = Sizes
    thresholds = (
        Threshold("repeats", 3, "segments", "of a connection sent again; a lost packet is sent again once or twice"),
        Threshold("connections", 1, "connections", "where every request that fills a packet is stuck, and no other"),
    )
    meaning = "Connecting works, and so do small requests; what is larger than a packet is never acknowledged."
    wire = (
        "Requests larger than what ever passed are sent again and again by TCP and never answered, while smaller ones "
        "to the same server are answered."
    )
    cause = (
        "The path's MTU is smaller than the hosts believe (VPN, tunnel, overlay network), and the ICMP messages that "
        "would tell them are filtered."
    )
    fix = (
        "Let ICMP 'fragmentation needed' (IPv6: 'packet too big') pass; lower the interface's MTU, clamp the MSS on "
        "the tunnel (iptables --clamp-mss-to-pmtu), or set net.ipv4.tcp_mtu_probing=1. ping -M do -s SIZE finds the "
        "limit."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with no request waiting."""
        super().__init__(*arguments)
        self._waiting: Bounded[Waiting] = Bounded(MOST_CONNECTIONS)
        """The first request of a connection that was not answered."""

    def unanswered(self, call: Call) -> None:
        """Note a request that was not answered."""
        request = call.request
        if request is not None and request.size >= _FULL:
            cited, direction = Cited(call.client, call.number), client_direction(call)
            made = Waiting(client_of(call), call.api_name or "", direction, request.size, request.first, cited)
            self._waiting.touch(call.connection, lambda: made)

    def connection(self, report: ConnectionReport) -> None:
        """Learn what got through, and what was sent again and again."""
        connection = report.connection
        found, history = self._waiting.pop(connection), self.facts.history_of(connection)
        if history is None:
            return
        key = ServedBy(history.client, report.server)
        known = self.states.get(key)
        if history.largest:
            known = known or self.state(key)
            known.largest = max(known.largest, history.largest)
        if found is None:
            return
        counters = connection.counters
        if (
            any(counter.gaps or counter.cut_packets for counter in counters)
            or not counters[1 - found.direction].packets
        ):
            return
        repeats = counters[found.direction].late_retransmissions
        if repeats < self.limits["repeats"]:
            return
        state = self.state(key)
        state.smallest_stuck = min(state.smallest_stuck or found.size, found.size)
        what = f"{found.name} of {found.size:,} bytes, sent again {repeats:,} times and never answered"
        state.add(found.sent, what, found.cited)

    def finding(self, key: Any, state: Sizes) -> Finding | None:
        """Fire where only small requests were answered."""
        assert isinstance(key, ServedBy)
        if state.count < self.limits["connections"] or not 0 < state.largest < state.smallest_stuck:
            return None
        summary = (
            f"Requests of {key.client.name} to {key.server} of up to {state.largest:,} bytes were answered; those of "
            f"{state.smallest_stuck:,} bytes and more were sent again and again ({counted(state.count, 'connection')})."
        )
        return self.make(state, client_subject(key.client, state.clients) | {"server": key.server}, summary)


class GivenUp(Tally):
    """Requests that the client gave up, one after the other."""

    __slots__ = ("asked_ms", "latest", "name", "waits")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.latest = 0
        """When the latest connection was given up (ns)."""
        self.asked_ms = 0
        self.name = ""
        self.waits: tuple[int, int] = (1 << 62, 0)
        """The shortest and the longest time after which one was given up (ns)."""


class RequestAbandoned(Rule[GivenUp]):
    """A client does not wait for as long as it lets the broker wait."""

    id = "request-abandoned"
    title = "The client gives up before the answer is due"
    severity = "error"
    scope = "client and server"
    state_type = GivenUp
    thresholds = (
        Threshold("calls", 3, "calls", "on one connection after the other; a program that stops gives up one"),
        Threshold("seconds", 0.6, "s", "for which it waited at least: beyond fetch.max.wait.ms's default of 500 ms"),
        Threshold("share", 0.25, "", "by which the times may differ: a timeout is always the same"),
    )
    meaning = "The client asks the broker to wait, and closes the connection before that time is over, again and again."
    wire = (
        "Fetch (by its maxWaitMs) or JoinGroup (by its rebalance timeout) is not answered yet when the client closes "
        "the connection, after the same time each time; the broker's answer comes later, or never."
    )
    cause = (
        "The client gives up ({request.timeout.ms}) sooner than the broker may answer: a Fetch waits for records "
        "({fetch.max.wait.ms}), and a join for the group's slowest member."
    )
    fix = (
        "Let the client wait ({request.timeout.ms}) well above what it asks the broker to wait "
        "({fetch.max.wait.ms}) and, where that holds for joins as well, above a rebalance "
        "({max.poll.interval.ms})."
    )

    def unanswered(self, call: Call) -> None:
        """Look at a request that was not answered."""
        if call.outcome == "unanswered" and self.facts.history(call).answered:
            self._look(call)

    def slow(self, seen: SeenCall) -> None:
        """Look at a request whose answer came when the client was gone: brokers answer all that they have read."""
        fin = seen.call.connection.first_fin
        if fin is not None and fin.time < seen.ended:
            self._look(seen.call)

    def _look(self, call: Call) -> None:
        """Compare how long a client waited with how long it let the broker wait."""
        connection, request = call.connection, call.request
        if request is None or call.api_key not in (FETCH, SHARE_FETCH, JOIN_GROUP):
            return
        if connection.ended_direction != client_direction(call):
            return
        if any(counter.gaps or counter.cut_packets or not counter.packets for counter in connection.counters):
            return
        body = request_of(call)
        asked_ms = body.get("rebalanceTimeoutMs" if call.api_key == JOIN_GROUP else "maxWaitMs", 0)
        end = connection.first_fin or call.ended
        waited = min(end.time, call.ended.time) - request.last.time
        if not self.limits["seconds"] * SECOND <= waited < asked_ms * MILLISECOND:
            return
        state = self.state(ServedBy(client_of(call), call.server))
        if connection.first.time < state.latest:
            return
        state.latest = end.time
        state.asked_ms, state.name = asked_ms, call.api_name or ""
        shortest, longest = state.waits
        state.waits = min(shortest, waited), max(longest, waited)
        what = f"{call.api_name} given up after {seconds_text(waited)} of {asked_ms / 1000:g} s"
        state.add(request.last, what, call)

    def finding(self, key: Any, state: GivenUp) -> Finding | None:
        """Fire where the client gives up after the same time each time."""
        assert isinstance(key, ServedBy)
        shortest, longest = state.waits
        if state.count < self.limits["calls"] or longest - shortest > self.limits["share"] * longest:
            return None
        summary = (
            f"{key.client.name} gave up {state.name} at {key.server} {times_text(state.count)} after "
            f"{seconds_text(longest)}, though it lets the broker wait for {state.asked_ms / 1000:g} s."
        )
        subject = client_subject(key.client, state.clients) | {
            "server": key.server,
            "group": self.facts.group(key.client),
        }
        return self.make(state, subject, summary)


PATH_RULES: tuple[type[Rule[Any]], ...] = (PathMtu, RequestAbandoned)
