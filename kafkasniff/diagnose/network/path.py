# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about the way between client and server, and about clients that do not wait for what they asked for."""

from typing import Any, NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import ConnectionReport, Gap
from kafkasniff.capture.packets import Arrival
from kafkasniff.diagnose.facts.clients import Client, client_of
from kafkasniff.diagnose.facts.sides import client_direction
from kafkasniff.diagnose.facts.whole_bodies import request_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import MOST_CONNECTIONS, Bounded
from kafkasniff.diagnose.memory.rates import MILLISECOND, SECOND
from kafkasniff.diagnose.memory.tallies import Cited, Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, counted, seconds_text, times_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import FETCH, JOIN_GROUP, SHARE_FETCH

_WAITING_APIS = (FETCH, SHARE_FETCH, JOIN_GROUP)
"""Whose requests say how long the broker may take."""

_FULL = 1_200
"""Bytes from which on a request fills a segment of a path whose MTU is not far below Ethernet's 1,500."""


class ServedBy(NamedTuple):
    """A client and the server that it talks to."""

    client: Client
    server: str


class Way(NamedTuple):
    """One direction between a client and a server."""

    client: Client
    server: str
    answers: bool
    """Whether it is that of the server's answers."""


class Waiting(NamedTuple):
    """A request that was not answered."""

    name: str
    size: int
    sent: Arrival
    cited: Cited


class Hole(NamedTuple):
    """Bytes that were neither captured nor acknowledged: they were lost before the capture's place."""

    size: int
    found: Arrival
    answers: bool
    gaps: int
    """How many gaps show it: one before bytes that came, or none where nothing came behind it."""
    what: str


class Sizes(Tally):
    """Requests or answers that do not get through."""

    __slots__ = ("holes", "mss", "smallest_stuck")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.smallest_stuck = 0
        """Bytes of the smallest that did not get through."""
        self.holes = 0
        """Connections on which it was never captured."""
        self.mss = 0
        """The smaller of the maximum segment sizes that both ends named when they connected; 0 where none was seen."""


class PathMtu(Rule[Sizes]):
    """Full-size packets do not get through."""

    id = "path-mtu"
    title = "Large packets do not get through"
    severity = "error"
    scope = "client and server"
    state_type = Sizes
    thresholds = (
        Threshold("repeats", 3, "segments", "of a connection sent again; a lost packet is sent again once or twice"),
        Threshold("connections", 1, "connections", "where all that fills a packet is stuck, and nothing else"),
        Threshold("holes", 2, "connections", "where it never came to the capture's place; one may be a lost packet"),
        Threshold("seconds", 1.5, "s", "in which no more of an answer came; TCP repeats what is lost after 0.2 s"),
    )
    meaning = "Connecting works, and so do small messages; what is larger than a packet is never acknowledged."
    wire = (
        "Requests (or answers) larger than what ever passed are sent again and again by TCP and never acknowledged, "
        "while smaller ones get through. Seen from the far side: small segments come, and a hole before or behind them "
        "is never filled."
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
        self._holes: Bounded[Hole] = Bounded(MOST_CONNECTIONS)
        """The latest hole of a connection that its receiver has as well."""
        self._passed: Bounded[tuple[int, int]] = Bounded()
        """Bytes of the largest request and the largest answer that got through, by client and server."""

    def unanswered(self, call: Call) -> None:
        """Note a request that was not answered."""
        request = call.request
        if request is not None and request.size >= _FULL:
            made = Waiting(call.api_name or "", request.size, request.first, Cited(call.client, call.number))
            self._waiting.touch(call.connection, lambda: made)

    def slow(self, seen: SeenCall) -> None:
        """Note an answer of which only its small beginning came."""
        call, answer = seen.call, seen.call.response
        if answer is None or call.outcome != "response-not-captured":
            return
        begun = answer.size >= _FULL > len(answer.data) and not answer.limited
        if begun and call.ended.time - answer.last.time >= self.limits["seconds"] * SECOND:
            what = f"{len(answer.data):,} of {answer.size:,} bytes of an answer to {call.api_name} came"
            self._holes.put(call.connection, Hole(answer.size, answer.last, True, 0, what))

    def gap(self, gap: Gap) -> None:
        """Note bytes that the receiver lacks as well."""
        if not gap.acknowledged and gap.length is not None and gap.length >= _FULL:
            what = f"{gap.length:,} bytes never came, and were never acknowledged"
            self._holes.put(gap.connection, Hole(gap.length, gap.arrival, gap.direction == "response", 1, what))

    def connection(self, report: ConnectionReport) -> None:
        """Learn what got through, and what was sent again and again."""
        connection = report.connection
        waiting, hole = self._waiting.pop(connection), self._holes.pop(connection)
        history = self.facts.history_of(connection)
        if history is None:
            return
        key = history.client, report.server
        largest, largest_answer = self._passed.get(key) or (0, 0)
        if history.largest > largest or history.largest_answer > largest_answer:
            self._passed.put(key, (max(largest, history.largest), max(largest_answer, history.largest_answer)))
        if waiting is None and hole is None and history.latest_answer < _FULL:
            return
        gaps = sum(counter.gaps for counter in connection.counters)
        if any(counter.cut_packets or not counter.packets for counter in connection.counters):
            return
        if hole is not None and gaps == hole.gaps:
            self._stuck(report, hole.answers, hole.size, hole.found, hole.what, None).holes += 1
        elif not gaps:
            client = client_direction(report)
            of_client, of_server = (connection.counters[each].late_retransmissions for each in (client, 1 - client))
            if waiting is not None and of_client >= self.limits["repeats"]:
                what = f"{waiting.name} of {waiting.size:,} bytes, sent again {of_client:,} times and never answered"
                self._stuck(report, False, waiting.size, waiting.sent, what, waiting.cited)
            elif history.latest_answer >= _FULL and of_server >= self.limits["repeats"]:
                what = f"an answer of {history.latest_answer:,} bytes, the last one, sent again {of_server:,} times"
                self._stuck(report, True, history.latest_answer, connection.last, what, None)

    def _stuck(
        self, report: ConnectionReport, answers: bool, size: int, at: Arrival, what: str, cited: Cited | None
    ) -> Sizes:
        """Count a connection on which something large got stuck."""
        history = self.facts.history_of(report.connection)
        assert history is not None
        state = self.state(Way(history.client, report.server, answers))
        state.smallest_stuck = min(state.smallest_stuck or size, size)
        state.mss = min((counter.mss for counter in report.connection.counters if counter.mss), default=state.mss)
        state.add(at, what, cited or report)
        return state

    def finding(self, key: Any, state: Sizes) -> Finding | None:
        """Fire where only small ones got through."""
        assert isinstance(key, Way)
        enough = state.count - state.holes >= self.limits["connections"] or state.holes >= self.limits["holes"]
        largest = (self._passed.get((key.client, key.server)) or (0, 0))[key.answers]
        if not enough or not 0 < largest < state.smallest_stuck:
            return None
        what, whose = ("Answers", f"{key.server} to {key.client.name}")
        if not key.answers:
            what, whose = "Requests", f"{key.client.name} to {key.server}"
        told = f"; the hosts agreed on segments of {state.mss:,} bytes" if state.mss else ""
        happened = "never came" if state.holes == state.count else "were sent again and again"
        summary = (
            f"{what} of {whose} of up to {largest:,} bytes got through; those of {state.smallest_stuck:,} bytes "
            f"and more {happened} ({counted(state.count, 'connection')}){told}."
        )
        return self.make(state, client_subject(key.client, state.clients) | {"server": key.server}, summary)


class Asked(NamedTuple):
    """A client, and what it asks a server for."""

    client: Client
    api_key: int


class GivenUp(Tally):
    """Requests that the client gave up, one after the other."""

    __slots__ = ("api_key", "asked_ms", "latest", "name", "waits")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.latest = 0
        """When the latest connection was given up (ns)."""
        self.api_key = -1
        """Of the latest request …"""
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
        "the connection, after the same time each time; the broker's answer comes later, or never. A client that "
        "waits longer for another answer has no such timeout: it stopped reading, as in a rebalance."
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

    def __init__(self, *arguments: Any) -> None:
        """Begin with no answer that was waited for."""
        super().__init__(*arguments)
        self._longest: Bounded[int] = Bounded()
        """How long a client waited for an answer that came (ns), by `Asked`."""

    def unanswered(self, call: Call) -> None:
        """Look at a request that was not answered."""
        if call.outcome == "unanswered" and self.facts.history(call).answered:
            self._look(call)

    def slow(self, seen: SeenCall) -> None:
        """Look at a request whose answer came when the client was gone: brokers answer all that they have read."""
        call, fin = seen.call, seen.call.connection.first_fin
        if fin is not None and fin.time < seen.ended:
            self._look(call)
        elif seen.key in _WAITING_APIS and call.request is not None and call.outcome == "answered":
            asked, waited = Asked(seen.client, seen.key), seen.ended - call.request.last.time
            self._longest.put(asked, max(self._longest.get(asked) or 0, waited))

    def _look(self, call: Call) -> None:
        """Compare how long a client waited with how long it let the broker wait."""
        connection, request = call.connection, call.request
        if request is None or call.api_key not in _WAITING_APIS:
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
        state.api_key, state.asked_ms, state.name = call.api_key, asked_ms, call.api_name or ""
        shortest, longest = state.waits
        state.waits = min(shortest, waited), max(longest, waited)
        what = f"{call.api_name} given up after {seconds_text(waited)} of {asked_ms / 1000:g} s"
        state.add(request.last, what, call)

    def finding(self, key: Any, state: GivenUp) -> Finding | None:
        """Fire where the client gives up after the same time each time, and never waits longer."""
        assert isinstance(key, ServedBy)
        shortest, longest = state.waits
        if (self._longest.get(Asked(key.client, state.api_key)) or 0) > longest:
            return None
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
