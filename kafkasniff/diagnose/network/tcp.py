# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about what TCP tells: lost packets, closed windows."""

from typing import Any

from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.tallies import Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject

_TWICE = 0.2
"""From this share of packets on that came twice within a millisecond each was: two mirror ports, or interfaces. Only
those with data are counted as such, which are two in five and more of a busy connection."""


class Segments(Tally):
    """Segments of a client's connections that should not have been."""

    __slots__ = ("bad",)

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.bad = 0


class Lost(Segments):
    """Segments that were lost, and all packets."""

    __slots__ = ("packets",)

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.packets = 0


def _once(report: ConnectionReport, count: int) -> int:
    """Give how many packets of a connection there were, of so many that were seen."""
    if not count:
        return 0
    there, back = report.connection.counters
    duplicates = there.duplicates + back.duplicates
    twice = duplicates > 0 and duplicates >= _TWICE * (there.packets + back.packets)
    return count // 2 if twice else count


def _add(state: Tally, report: ConnectionReport, what: str) -> None:
    """Count a connection: what is known of it as a whole may have come at any time of it."""
    begun = report.connection.first
    state.add(report.connection.last, what, report)
    if state.first is None or begun.time < state.first.time:
        state.first = begun


class TcpZeroWindow(Rule[Segments]):
    """A receiver reads too slowly."""

    id = "tcp-zero-window"
    title = "A receiver reads its socket too slowly"
    severity = "warning"
    scope = "client"
    state_type = Segments
    thresholds = (Threshold("segments", 2, "segments", "a healthy receiver never closes its window for long"),)
    meaning = "The receiver's buffer is full, as its program does not read; the sender has to wait."
    wire = "TCP segments with window 0 (a reset has one too, and does not count)."
    cause = (
        "The client's network thread is blocked or its host overloaded; where the broker closes it, its disks are slow."
    )
    fix = (
        "Do not block the client's thread in callbacks; fetch less at once ({fetch.max.bytes}; "
        "{max.partition.fetch.bytes})."
    )

    def connection(self, report: ConnectionReport) -> None:
        """Add up segments with window 0."""
        connection = report.connection
        for direction, counter in enumerate(connection.counters):
            closed = _once(report, counter.zero_windows)
            client = self.facts.client(connection) if closed else None
            if client is not None:
                state = self.state((client, report.server))
                state.bad += closed
                what = f"{connection.endpoints[direction]} closed its window in {closed:,} segments"
                _add(state, report, what)

    def finding(self, key: Any, state: Segments) -> Finding | None:
        """Fire from the threshold on."""
        client, server = key
        if state.bad < self.limits["segments"]:
            return None
        summary = f"On connections of {client.name} to {server}, {state.evidence[0].what}."
        return self.make(state, client_subject(client, state.clients) | {"server": server}, summary, count=state.bad)


class TcpRetransmissions(Rule[Lost]):
    """Packets get lost."""

    id = "tcp-retransmissions"
    title = "Packets are lost on the way"
    severity = "warning"
    scope = "client"
    state_type = Lost
    thresholds = (
        Threshold(
            "segments", 5, "segments", "sent again more than 100 ms later; tail loss probes (RFC 8985) come sooner"
        ),
        Threshold("share", 0.001, "", "of all packets of the connections"),
    )
    meaning = "The network loses packets, and each loss stops the connection for 200 ms and more."
    wire = "Segments sent again more than 100 ms after the first time."
    cause = "A lossy or overloaded link, a full buffer on the way, or a receiver's host without CPU."
    fix = "Follow the path for drops (interface counters, ethtool -S, mtr); look at bandwidth limits of the hosts."

    def __init__(self, *arguments: Any) -> None:
        """Begin with no packets."""
        super().__init__(*arguments)
        self._packets: Bounded[int] = Bounded()
        """Packets of connections of clients to servers, by both, before the first was lost."""

    def connection(self, report: ConnectionReport) -> None:
        """Add up late retransmissions."""
        there, back = report.connection.counters
        client = self.facts.client(report.connection)
        if client is None:
            return
        key, packets = (client, report.server), _once(report, there.packets + back.packets)
        late = _once(report, there.late_retransmissions + back.late_retransmissions)
        state = self.states.get(key)
        if not late and state is None:
            self._packets.put(key, (self._packets.get(key) or 0) + packets)
            return
        state = self.state(key)
        state.packets += packets + (self._packets.pop(key) or 0)
        if late:
            state.bad += late
            what = f"{late:,} segments of {report.client}-{report.server} sent again after more than 100 ms"
            _add(state, report, what)

    def finding(self, key: Any, state: Lost) -> Finding | None:
        """Fire from the thresholds on."""
        client, server = key
        if state.bad < self.limits["segments"] or state.bad < self.limits["share"] * state.packets:
            return None
        summary = (
            f"{state.bad:,} of {state.packets:,} packets between {client.name} and {server} were sent again after more "
            "than 100 ms."
        )
        return self.make(state, client_subject(client, state.clients) | {"server": server}, summary, count=state.bad)


NETWORK_RULES: tuple[type[Rule[Any]], ...] = (
    TcpZeroWindow,
    TcpRetransmissions,
)
