# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about connections: how they are made, used and ended."""

import re
from typing import Any, NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.diagnose.facts.clients import Client, client_of
from kafkasniff.diagnose.facts.sides import client_direction
from kafkasniff.diagnose.facts.whole_bodies import request_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import MOST_CONNECTIONS, Bounded
from kafkasniff.diagnose.memory.rates import MILLISECOND
from kafkasniff.diagnose.memory.tallies import MOST_NAMES, Tally
from kafkasniff.diagnose.rule import (
    Rule,
    Threshold,
    client_subject,
    connections_subject,
    counted,
)
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import FETCH, JOIN_GROUP, SHARE_FETCH, SYNC_GROUP


class Open(Tally):
    """How many connections of a client are open at once, by server."""

    __slots__ = ("open", "peak", "servers", "total")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.open: dict[str, int] = {}
        self.total = 0
        self.peak = 0
        self.servers: list[str] = []
        """The servers at the peak."""


class TooManyConnections(Rule[Open]):
    """One client id holds dozens of connections to a broker."""

    id = "too-many-connections"
    title = "One client holds too many connections"
    severity = "warning"
    scope = "client"
    state_type = Open
    thresholds = (
        Threshold("connections", 30, "connections", "at once, from one client id on one host"),
        Threshold("per_server", 8, "connections", "on average: a Java or librdkafka client has one to three each"),
    )
    meaning = "Each connection costs the broker memory, and in dozens they reach max.connections.per.ip."
    wire = "Thirty and more connections of one client id on one host at the same time, many to the same broker."
    cause = "Many producers or consumers in one program, such as one for each thread or request, never closed."
    fix = "Share one producer between threads; close clients; limit with max.connections.per.ip on the broker."

    def __init__(self, *arguments: Any) -> None:
        """Begin with no connection open."""
        super().__init__(*arguments)
        self._counted: Bounded[tuple[Client, str]] = Bounded(MOST_CONNECTIONS)

    def begins(self, seen: SeenCall) -> None:
        """Count a connection at its first call."""
        call, client = seen.call, seen.client
        if call.request is None or client.client_id is None or self._counted.get(call.connection) is not None:
            return
        self._counted.put(call.connection, (client, call.server))
        state = self.state(client)
        state.open[call.server] = state.open.get(call.server, 0) + 1
        state.total += 1
        state.add(call.request.first, f"connection {state.total} at once", call)
        if state.total > state.peak and state.total >= self.limits["per_server"] * len(state.open):
            state.peak, state.servers = state.total, list(state.open)[:MOST_NAMES]

    def connection(self, report: ConnectionReport) -> None:
        """Count it no more."""
        counted = self._counted.pop(report.connection)
        state = self.states.get(counted[0]) if counted is not None else None
        if counted is not None and state is not None and counted[1] in state.open:
            state.open[counted[1]] -= 1
            state.total -= 1
            if not state.open[counted[1]]:
                del state.open[counted[1]]

    def finding(self, key: Any, state: Open) -> Finding | None:
        """Fire from the thresholds on."""
        if state.peak < self.limits["connections"]:
            return None
        servers = ", ".join(state.servers)
        summary = f"{key.name} held {state.peak:,} connections to {servers} at once."
        server = state.servers[0] if len(state.servers) == 1 else None
        return self.make(state, client_subject(key) | {"server": server}, summary, count=state.peak)


class ServedBy(NamedTuple):
    """A client's calls to one server."""

    client: Client
    server: str


class Waits(Tally):
    """Requests that a server left unanswered for too long."""

    __slots__ = ("late", "until")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.late = 0
        """Of them, those answered after the client had closed its connection."""
        self.until = 0
        """When the last of them was given up, or last seen to wait (ns)."""


class ResponseTimeout(Rule[Waits]):
    """A broker does not answer."""

    id = "response-timeout"
    title = "Requests stay unanswered"
    severity = "error"
    scope = "client and server"
    state_type = Waits
    thresholds = (
        Threshold("calls", 1, "calls", "request.timeout.ms is 30 s by default: one is a long stop"),
        Threshold("late", 2, "calls", "answered when the client had closed; one may be a program that ends"),
        Threshold("milliseconds", 1_500, "ms", "beyond what the request itself allows the broker to wait"),
        Threshold("milliseconds_at_end", 5_000, "ms", "beyond that, where the capture ends before the client gives up"),
    )
    meaning = "The connection stands, but the broker does not answer in time; the client gives up and connects anew."
    wire = (
        "A request without its answer on an open connection, until the client closes it (request.timeout.ms); the "
        "answer may come afterwards."
    )
    cause = (
        "The broker hangs (disk, garbage collection, lack of CPU), or something on the way holds the connection "
        "and drops data. Where not even the first request is answered: the listener has max.connections already, and "
        "takes up no more."
    )
    fix = (
        "Look at the broker at that time (request handler idle ratio, disk latency, GC, number of connections); check "
        "firewalls that drop idle flows."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with no request waiting."""
        super().__init__(*arguments)
        self._due: Bounded[int] = Bounded(MOST_CONNECTIONS)
        """Until when requests of a connection may wait by what they say, with what was sent behind them (ns)."""

    def connection(self, report: ConnectionReport) -> None:
        """Forget what waited."""
        self._due.pop(report.connection)

    def unanswered(self, call: Call) -> None:
        """Measure how long an unanswered request waited."""
        connection = call.connection
        counters = connection.counters
        if call.request is None or call.ended.time < connection.last.time:
            return  # a later answer came, so that this one was rather lost in the capture
        if any(counter.gaps or counter.cut_packets for counter in counters) or not all(c.packets for c in counters):
            return
        history = self.facts.history(call)
        if connection.ended_by == "idle" or not (history.answered or self.facts.is_kafka(call.server)):
            return  # who answered nobody may speak another protocol
        until = min((connection.first_fin or call.ended).time, call.ended.time)
        # A broker reads nothing of a client over its quota until the time to wait is over (KIP-219).
        begun = max(call.request.last.time, history.muted_until)
        waited = (until - begun) // MILLISECOND
        # Answers come in the order of requests: behind a join that waits for its group all else waits as well.
        due = max(begun + _allowed_ms(call) * MILLISECOND, self._due.get(connection) or 0)
        self._due.put(connection, due)
        still_open = connection.first_fin is None and connection.ended_by in (None, "capture-end")
        least = self.limits["milliseconds_at_end" if still_open else "milliseconds"]
        if until - due >= least * MILLISECOND:
            what = f"{call.api_name} unanswered for {waited / 1000:.1f} s"
            state = self.state(ServedBy(client_of(call), call.server))
            state.add(call.request.last, what, call)
            state.until = max(state.until, until)
            for topic in (request_of(call).get("topicData") or ())[:MOST_NAMES]:
                state.topics.add(self.facts.name_in(topic))

    def slow(self, seen: SeenCall) -> None:
        """Measure how long a client waited that gave up before the answer came."""
        call, connection = seen.call, seen.call.connection
        fin = connection.first_fin
        if fin is None or fin.time >= seen.ended or call.outcome != "answered":
            return
        if connection.ended_direction != client_direction(call):
            return
        if any(counter.gaps or counter.cut_packets for counter in connection.counters):
            return  # What stands behind a gap is known later than it came.
        assert call.request is not None
        begun = max(call.request.last.time, seen.history.muted_until)
        waited = (fin.time - begun) // MILLISECOND
        if waited >= _allowed_ms(call) + self.limits["milliseconds"]:
            what = f"{call.api_name} unanswered for {waited / 1000:.1f} s, when the client gave up"
            state = self.state(ServedBy(seen.client, call.server))
            state.late += 1
            state.add(call.request.last, what, call)

    def finding(self, key: Any, state: Waits) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(key, ServedBy)
        if state.count - state.late < self.limits["calls"] and state.late < self.limits["late"]:
            return None
        requests = counted(state.count, "request")
        summary = f"{key.server} left {requests} of {key.client.name} unanswered: {state.evidence[0].what}."
        subject = client_subject(key.client, state.clients) | {"server": key.server}
        more = {"group": self.facts.group(key.client), "topic": state.topics.only}
        found = self.make(state, subject | more, summary)
        # What comes up while a request waits may explain it.
        found.last_time = max(found.last_time, state.until)
        return found


def _allowed_ms(call: Call) -> int:
    """Give how long the broker may take by what the request says (ms)."""
    request = request_of(call)
    if call.api_key in (FETCH, SHARE_FETCH):
        return int(request.get("maxWaitMs", 500))
    if call.api_key in (JOIN_GROUP, SYNC_GROUP):
        # SyncGroup waits for the leader, for up to the rebalance timeout, which it does not say.
        return int(request.get("rebalanceTimeoutMs", request.get("sessionTimeoutMs", 300_000)))
    if call.api_key != 0:
        return int(request.get("timeoutMs", 0))
    return 0


class MismatchedCorrelation(Rule[Tally]):
    """A server answers with ids that nobody asked with."""

    id = "mismatched-correlation"
    title = "Answers carry correlation ids of no request"
    severity = "error"
    scope = "server"
    looks_across_clients = True
    state_type = Tally
    thresholds = (Threshold("answers", 3, "answers", "none is right; a few may come of a capture's damage"),)
    meaning = "Clients cannot tell which request is answered, and drop the connection."
    wire = "Responses whose correlation id belongs to no request of the connection, with every request captured."
    cause = "A faulty proxy or server between client and broker."
    fix = "Take the proxy out of the way, or upgrade it; compare captures on both its sides."

    def unrequested(self, call: Call) -> None:
        """Count answers without a request, where none can have been missed."""
        if call.response is None or not call.pairing_problems:
            return
        connection = call.connection
        counters = connection.counters
        if connection.initiator is None or any(counter.gaps or counter.cut_packets for counter in counters):
            return
        if not all(counter.data_bytes for counter in counters):
            return  # a capture of one direction
        self.state(call.server).add(call.response.last, call.pairing_problems[0].message, call)

    def finding(self, key: Any, state: Tally) -> Finding | None:
        """Fire from the threshold on."""
        if state.count < self.limits["answers"]:
            return None
        summary = f"{key} sent {state.count:,} answers whose correlation id belongs to no request."
        return self.make(state, {"server": key, "client": connections_subject(state.clients)}, summary)


_DEFAULT_IDS = re.compile(
    r"rdkafka|sarama|kgo|kafkajs|rskafka|pykafka|ruby-kafka|kafka-node-client|console-(producer|consumer)|"
    r"(producer|adminclient|admin)-\d+|consumer-((?P<group>.+)-)?\d+|"
    r"(kafka-python|aiokafka)(-producer|-consumer|-admin)?(-[\d.]+)?|.+@[^@]+ \(github\.com/segmentio/kafka-go\)"
)
"""What libraries call themselves when the program says nothing. With `.+@.+` a client id of 32 kB took 1.5 s."""


class DefaultClientId(Rule[Tally]):
    """A client does not say what it is."""

    id = "default-client-id"
    title = "The client id is the library's default"
    severity = "info"
    scope = "client"
    state_type = Tally
    thresholds = (Threshold("connections", 1, "connections", "a setting, seen at the first request"),)
    meaning = "Logs, metrics and quotas of the brokers cannot tell this program from others."
    wire = "Request headers with client id rdkafka, sarama, producer-1, consumer-<group>-1 and the like."
    cause = "No client id is set ({client.id})."
    fix = "Set the client id to the name of the program ({client.id})."

    def begins(self, seen: SeenCall) -> None:
        """Look at the client id."""
        client_id = seen.client.client_id
        if client_id and _DEFAULT_IDS.fullmatch(client_id):
            assert seen.call.request is not None
            self.state(seen.client).add(seen.call.request.last, f"client id {client_id}", seen.call)

    def finding(self, key: Any, state: Tally) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(key, Client)
        assert key.client_id is not None
        if state.count < self.limits["connections"]:
            return None
        found = _DEFAULT_IDS.fullmatch(key.client_id)
        named, group = found["group"] if found else None, self.facts.group(key)
        if named is not None and group not in (None, named):
            return None  # Java names consumers by their group (ConsumerConfig.maybeOverrideClientId).
        connections = counted(state.count, "connection")
        summary = f"A program at {key.host} uses its library's default client id {key.client_id} ({connections})."
        return self.make(state, client_subject(key, state.clients), summary)


CONNECTION_RULES: tuple[type[Rule[Any]], ...] = (
    TooManyConnections,
    ResponseTimeout,
    MismatchedCorrelation,
    DefaultClientId,
)
