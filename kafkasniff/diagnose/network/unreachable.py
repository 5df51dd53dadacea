# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about addresses that cannot be reached."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.diagnose.facts.answers import metadata_answer
from kafkasniff.diagnose.facts.clients import Client, host_of
from kafkasniff.diagnose.facts.sides import was_refused
from kafkasniff.diagnose.finding import Finding, Severity
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.rates import SECOND
from kafkasniff.diagnose.memory.tallies import Names, Tally
from kafkasniff.diagnose.network.advertised import BEFORE_WORK, Listed, Told, why_not
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, connections_subject, seconds_text, times_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import FIND_COORDINATOR, METADATA

_MAY_BE_KAFKA = frozenset({"kafka", "tls", "unknown", "empty"})
"""Protocols of connections to a port that may be a broker's."""


class Attempts(Tally):
    """Attempts to connect to a server since it last accepted one."""

    __slots__ = ("accepted", "begun", "came_up", "in_a_row", "lasting", "resets", "until")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.accepted = False
        self.in_a_row = 0
        self.begun = 0
        """When the first of those in a row was made (ns)."""
        self.until = 0
        """When the latest of them was given up (ns)."""
        self.lasting = False
        """Whether they went on for longer than a restart takes before one was accepted."""
        self.came_up = 0
        """When one was accepted then (ns)."""
        self.resets = 0


class _ConnectRule(Rule[Attempts]):
    """Counts connections that never opened, by server."""

    scope = "server"
    state_type = Attempts

    def connection(self, report: ConnectionReport) -> None:
        """See whether a connection opened."""
        connection = report.connection
        counters = connection.counters
        client = connection.initiator
        if any(counter.data_bytes for counter in counters) or connection.round_trip_ns is not None or client is None:
            # Of a connection without its beginning either end may be the server.
            servers = [report.server] if client is not None else [str(end) for end in connection.endpoints]
            for server in servers:
                self.accepted(server, connection.first.time)
            return
        reset = was_refused(connection)
        silent = counters[1 - client].packets == 0 and counters[client].packets > 1
        if reset or silent:
            state = self.attempts(report.server, connection.first.time)
            if not state.in_a_row:
                state.begun = connection.first.time
            state.until = max(state.until, connection.last.time)
            state.resets += reset
            # A SYN that is not answered is sent again on the same connection.
            state.in_a_row += counters[client].packets
            what = "SYN answered with RST" if reset else f"{counters[client].packets} SYNs without any answer"
            state.add(connection.first, what, report)

    def begins(self, seen: SeenCall) -> None:
        """See that a connection opened."""
        self.accepted(seen.call.server, seen.sent)

    def attempts(self, server: str, time: int) -> Attempts:
        """Give the attempts that one at `time` (ns) belongs to."""
        return self.state(server)

    def accepted(self, server: str, time: int) -> None:
        """Note that a server took a connection that began at `time` (ns)."""
        self.state(server).accepted = True

    def how(self, state: Attempts) -> str:
        """Say how the server did not answer."""
        return "each was refused (RST)" if state.resets == state.count else "none was answered"


class DeadBrokerConnectLoop(_ConnectRule):
    """Clients try to reach a broker that is down."""

    id = "dead-broker-connect-loop"
    title = "A client keeps connecting to a broker that does not answer"
    severity = "error"
    looks_across_clients = True
    thresholds = (
        Threshold("attempts", 5, "SYNs", "in a row; reconnect.backoff.ms is 50 by default"),
        Threshold("restart", 30, "s", "in which a broker that was up before, or is up later, may start"),
        Threshold("edge", 2, "s", "from the capture's beginning and end, between which shorter silence is an error"),
        Threshold("shortest", 5, "s", "of a capture that shows that: no broker starts sooner"),
    )
    meaning = "Nothing listens at the address, and the client tries it over and over."
    wire = (
        "SYNs to one address and port that are answered with RST, or not at all, in all of the capture or for longer "
        "than a restart takes."
    )
    cause = (
        "The broker is down, or its address in the client's list is wrong ({bootstrap.servers}), or a firewall "
        "drops the packets."
    )
    fix = (
        "Start the broker or correct its address; name several brokers ({bootstrap.servers}); wait longer between "
        "tries ({reconnect.backoff.max.ms})."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin before the capture."""
        super().__init__(*arguments)
        self._first = self._last = 0
        """When the capture's first and last connections were seen (ns)."""
        self._others: Bounded[bool] = Bounded()
        """Servers that answered in another protocol, which are no brokers."""

    def connection(self, report: ConnectionReport) -> None:
        """See whether a connection opened, and how long the capture is."""
        connection = report.connection
        self._first = min(self._first or connection.first.time, connection.first.time)
        self._last = max(self._last, connection.last.time)
        answered = connection.initiator is not None and connection.counters[1 - connection.initiator].data_bytes > 0
        if answered and report.protocol not in _MAY_BE_KAFKA:
            self._others.put(report.server, True)
        super().connection(report)

    def attempts(self, server: str, time: int) -> Attempts:
        """Begin anew after a pause in which a broker may have started and stopped: longer than a restart, and than all
        attempts before.
        """
        state = self.state(server)
        pause = time - state.until
        many = state.in_a_row >= self.limits["attempts"] and not state.lasting
        if many and pause > max(self.limits["restart"] * SECOND, state.until - state.begun):
            before, state = state, Attempts()
            state.accepted = before.accepted
            self.states.put(server, state)
        return state

    def accepted(self, server: str, time: int) -> None:
        """Forget what was refused, unless it went on for longer than a restart takes."""
        state = self.state(server)
        # A report comes when its connection ends, so that it may tell of the time before the refusals.
        if state.in_a_row and time > state.begun:
            if time - state.begun < self.limits["restart"] * SECOND and not state.lasting:
                state = Attempts()
                self.states.put(server, state)
            if state.in_a_row >= self.limits["attempts"]:
                state.lasting, state.came_up = True, time
            state.in_a_row = 0
        state.accepted = True

    def finding(self, key: Any, state: Attempts) -> Finding | None:
        """Fire where many attempts failed in a row, with no restart to explain them."""
        down = state.in_a_row >= self.limits["attempts"]
        if down and state.accepted and state.last is not None:
            down = state.last.time - state.begun >= self.limits["restart"] * SECOND
        if (not down and not state.lasting) or self._others.get(key):
            return None
        hosts = ", ".join(sorted({client.rpartition(":")[0] for client in state.clients}))
        summary = (
            f"{hosts} tried to connect to {key} {state.count:,} times within {seconds_text(state.span_ns)}: "
            f"{self.how(state)}{self._meanwhile(state, down)}."
        )
        severity: Severity = "error" if down and (self._is_long(state) or self._is_always(state)) else "warning"
        subject = {"server": key, "client": connections_subject(state.clients)}
        return self.make(state, subject, summary, severity=severity)

    def _is_short(self) -> bool:
        """Tell whether the capture is too short to call a broker down for sure."""
        return self._last - self._first < self.limits["shortest"] * SECOND

    def _is_long(self, state: Attempts) -> bool:
        """Tell whether the silence is longer than a restart."""
        return state.last is not None and state.last.time - state.begun >= self.limits["restart"] * SECOND

    def _is_always(self, state: Attempts) -> bool:
        """Tell whether there were attempts from the capture's beginning to its end."""
        edge = self.limits["edge"] * SECOND
        if state.first is None or state.last is None or self._is_short():
            return False
        return state.first.time - self._first <= edge and self._last - state.last.time <= edge

    def _meanwhile(self, state: Attempts, down: bool) -> str:
        """Say when the port came up, or that it may have."""
        if not down:
            up = datetime.fromtimestamp(state.came_up // SECOND, UTC)
            return (
                f"; the port came up at {up:%H:%M:%S} UTC, {seconds_text(state.came_up - state.begun)} after the first"
            )
        if state.accepted or self._is_long(state):
            return "; it was up before" if state.accepted else ""
        if self._is_always(state):
            return ""
        if self._is_short():
            return "; the capture is shorter than a broker takes to start"
        return "; nobody tried shortly before or after, so that a broker may have started or stopped in order"


class AdvertisedListenerUnreachable(_ConnectRule):
    """The brokers advertise an address that clients cannot reach."""

    id = "advertised-listener-unreachable"
    title = "An advertised broker address cannot be reached"
    severity = "error"
    looks_across_clients = True
    apis = frozenset({METADATA, FIND_COORDINATOR})
    request_fields = frozenset({"topics", "name", "topicId", "key", "coordinatorKeys"})
    response_fields = frozenset({"brokers", "nodeId", "host", "port", "clusterId"})
    thresholds = (
        Threshold("attempts", 3, "attempts", "none of which ever succeeded in the capture"),
        Threshold(
            "session", 18, "s", "after which Metadata names no dead broker (zookeeper.session.timeout.ms; KRaft 9 s)"
        ),
        Threshold("metadata", 3, "answers", "and so many connections; the client follows none, and does no other work"),
        Threshold("repeats", 4, "answers", "about one topic or group, on one connection; clients that work ask once"),
        Threshold("home", 2, "answers", "the same, where they name the client's own host; franz-go asks every 5 s"),
        Threshold("still", 5, "s", "without a call on the client's one connection, after it was told a name and asked"),
    )
    meaning = "Bootstrapping works, but everything else goes to the address that Metadata names, where nobody answers."
    wire = (
        "Metadata advertises host and port of a broker; SYNs to it are answered with RST or not at all. Or no SYN to "
        "it is seen, while the client connects anew, or asks for metadata or a coordinator again, and does no work."
    )
    cause = (
        "advertised.listeners of the broker names a host or port that is not reachable from the client "
        "(containers, NAT)."
    )
    fix = "Set advertised.listeners to an address that clients can reach; use one listener per network."

    def __init__(self, *arguments: Any) -> None:
        """Begin with no client known."""
        super().__init__(*arguments)
        self._askers: Bounded[tuple[Client, str]] = Bounded()
        """By host, who was told brokers last, and of which cluster."""
        self._told: Bounded[Told] = Bounded()
        """What clients were told, by client."""
        self._listed: Bounded[Listed] = Bounded()
        """The brokers that clients were told, by cluster."""
        self._work: Bounded[bool] = Bounded()
        """Clients that got further than metadata."""
        self._ports = Names()
        """Ports of servers that the capture shows."""

    def connection(self, report: ConnectionReport) -> None:
        """See whether a connection opened, and which ports are captured."""
        self._ports.add(report.server.rpartition(":")[2])
        super().connection(report)

    def call(self, seen: SeenCall) -> None:
        """Note who was told addresses, by host."""
        if seen.call.response is None:
            return
        if seen.key == METADATA:
            self._list(seen)
        if self._work.get(seen.client) is None:
            told = self._told.touch(seen.client, Told)
            if not told.reached:
                (told.tell if seen.key == METADATA else told.lead)(seen)

    def _list(self, seen: SeenCall) -> None:
        """Note who was told of a cluster (in old versions: by a server), and which of its brokers are alive."""
        answer = metadata_answer(seen.call)
        if not answer.brokers:
            return
        cluster = answer.cluster or seen.call.server
        self._askers.put(host_of(seen.call.client), (seen.client, cluster))
        listed = self._listed.get(cluster)
        if listed is None:
            listed = Listed(seen.ended)
            self._listed.put(cluster, listed)
        listed.take(answer.node_ids, seen.ended)

    def uses(self, seen: SeenCall) -> None:
        """Note who gets further."""
        if seen.key not in BEFORE_WORK:
            self._work.put(seen.client, True)

    def begins(self, seen: SeenCall) -> None:
        """See that a connection opened, and whether it follows what the client was told."""
        super().begins(seen)
        told = self._told.get(seen.client)
        if told is not None:
            told.look(seen)

    def findings(self) -> Iterator[Finding]:
        """Give the findings by address, and those of clients that connect to no address that they were told."""
        found = list(super().findings())
        yield from found
        tried = {host_of(client) for finding in found for client in _listed(finding.subject.get("client"))}
        named = {finding.subject.get("clientId") for finding in found}
        for client, told in self._told.items():
            host = client.host if client.client_id else host_of(client.host)
            if client.client_id not in named and host not in tried:
                finding = self._not_followed(client, told, host)
                if finding is not None:
                    finding.key = client
                    yield finding

    def _not_followed(self, client: Client, told: Told, host: str) -> Finding | None:
        if told.reached or self._work.get(client):
            return None
        tally: Tally = told
        many = told.connections() >= self.limits["metadata"]
        again = self.limits["home" if told.leads_home(host) else "repeats"]
        if not (many or told.told_again() >= again) and self._only_begins(client, told):
            tally, many = told.bare, len(told.bare.clients) >= self.limits["metadata"]
        sure = many or told.told_again() >= again
        if not (sure or self._stands_still(told)) or told.moves():
            return None
        names = list(told.nodes)
        only = len(names) == 1
        may_be = told.may_be_elsewhere() or not sure
        elsewhere = "; unless it works there, where the capture does not show it" if may_be else ""
        summary = (
            f"Metadata names {', '.join(names)}; {client.name} was told so {times_text(tally.count)}, and connects to "
            f"none: {why_not(names[0], host)}{elsewhere}."
        )
        subject = client_subject(client, tally.clients) | {
            "advertised": names[0] if only else names,
            "brokerId": told.nodes[names[0]] if only else None,
        }
        return self.make(tally, subject, summary, severity=None if sure else "warning")

    def _stands_still(self, told: Told) -> bool:
        """Tell whether a client asks once and does nothing more, as Java: once it knows brokers it asks only these."""
        ports = {address.rpartition(":")[2] for address in told.nodes}
        shown = len(self._ports) > 1 or ports <= set(self._ports)
        return shown and told.stands_still_ns() >= self.limits["still"] * SECOND

    def _only_begins(self, client: Client, told: Told) -> bool:
        profiles = self.facts.profiles.known([client.client_id], [client.host]) if client.client_id else []
        libraries = [library for profile in profiles for library in profile.libraries()]
        return bool(libraries) and told.only_begins(libraries, sum(profile.connections for profile in profiles))

    def finding(self, key: Any, state: Attempts) -> Finding | None:
        """Fire where an advertised address was never reached."""
        broker = self.facts.broker(str(key)) or self.facts.broker_by_name(str(key))
        if broker is None or state.accepted or state.in_a_row < self.limits["attempts"]:
            return None
        hosts = sorted({client.rpartition(":")[0] for client in state.clients})
        asked = [found for found in map(self._askers.get, hosts) if found is not None]
        told = [listed for _, cluster in asked if (listed := self._listed.get(cluster)) is not None]
        assert state.last is not None
        began = min((each.since for each in told), default=0)
        if any(each.dropped(broker.node_id) for each in told) or state.last.time < began:
            return None  # It is down, or was before it was named: dead-broker-connect-loop.
        askers = [asker for asker, _ in asked]
        who = ", ".join(asker.name for asker in askers) or ", ".join(hosts)
        subject: dict[str, Any] = client_subject(askers[0]) if len(askers) == 1 else {}
        subject |= {"advertised": key, "brokerId": broker.node_id}
        if not askers:
            subject["client"] = connections_subject(state.clients)
        summary = (
            f"Broker {broker.node_id} advertises {key}; {who} tried to connect there {state.count:,} times: "
            f"{self.how(state)}."
        )
        named = max((each.until for each in told if broker.node_id in each.nodes), default=0)
        if any(map(self._work.get, askers)) and named - state.begun < self.limits["session"] * SECOND:
            summary = f"{summary[:-1]}; or that broker has just gone down, as others are reached."
            return self.make(state, subject, summary, severity="warning")
        return self.make(state, subject, summary)


def _listed(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else [str(value)] * bool(value)


UNREACHABLE_RULES: tuple[type[Rule[Any]], ...] = (DeadBrokerConnectLoop, AdvertisedListenerUnreachable)
