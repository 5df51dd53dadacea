# cython: language_level=3, annotation_typing=False, boundscheck=True
"""The rule about connections that hardly live."""

import re
from typing import Any

from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.diagnose.facts.clients import Client, host_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.rates import SECOND, Rate
from kafkasniff.diagnose.memory.tallies import Names, Tally
from kafkasniff.diagnose.rule import Rule, Threshold, connections_subject, seconds_text

_OWN = re.compile(r"[-_.:@/#](?:(?=[a-fA-F]*\d)[0-9a-fA-F]{4,64}|\d{1,20})$")
"""What programs put behind a name so that each start has a client id of its own: a number, or a part of a UUID."""
_UUID = re.compile(r"[-_.:@/#][0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
"""Kafka Streams puts it in the middle: `APP-UUID-StreamThread-1-consumer` (StreamThread.java)."""
_UUID_CHARACTERS = 36
_MOST_SERVERS = 8
_MOST_COUNTED = 1_000


def family_of(client_id: str) -> str:
    """Give a client id without what is its own."""
    without = without_uuid(client_id)
    return without if without != client_id else _OWN.sub("", client_id)


def without_uuid(client_id: str) -> str:
    """Give a client id without a UUID, which each start makes anew."""
    return _UUID.sub("", client_id) if len(client_id) > _UUID_CHARACTERS else client_id


class Lifetimes(Tally):
    """The rates of connections that ended soon, by server."""

    __slots__ = ("client_ids", "families", "nameless", "rates", "servers", "window")

    def __init__(self, window_ns: int) -> None:
        """Count within `window_ns`."""
        super().__init__()
        self.window = window_ns
        self.rates: dict[str, Rate] = {}
        self.client_ids = Names()
        self.families: dict[str, int] = {}
        """Of a host: the connections of each family."""
        self.nameless = 0
        """Those that say no client id, or whose client id TLS hides."""

    def add_end(self, server: str, time: int) -> None:
        """Take a connection to a server that began at `time` (ns)."""
        rate = self.rates.get(server)
        if rate is None and len(self.rates) < _MOST_SERVERS:
            rate = self.rates[server] = Rate(self.window, _MOST_COUNTED)
        if rate is not None:
            rate.add(time)

    @property
    def peak(self) -> int:
        """Give the most to one server."""
        return max((rate.peak for rate in self.rates.values()), default=0)


class ConnectionChurn(Rule[Lifetimes]):
    """A client makes a new connection for each little thing."""

    id = "connection-churn"
    title = "A client makes connections that hardly live"
    severity = "warning"
    scope = "client id, or host"
    thresholds = (
        Threshold("connections", 20, "connections", "to one server within the window, from one client id on one host"),
        Threshold("seconds", 10, "s", "the window"),
        Threshold("lifetime", 2.5, "s", "measured: programs that start and stop once live longer or are few"),
        Threshold("of_host", 40, "connections", "likewise of all programs on a host, where none of them makes most"),
    )
    meaning = (
        "Each connection costs handshakes (TCP, TLS, login, ApiVersions, Metadata), many times those of the work "
        "itself."
    )
    wire = (
        "Many connections of less than 2.5 s to one server: under one client id, under client ids that differ by a "
        "number or UUID at their end, or from one host where each has a client id of its own or TLS hides it."
    )
    cause = (
        "A producer, consumer or admin client is made for each record, request or invocation (as in a serverless "
        "function), or a failing client starts over."
    )
    fix = (
        "Make one client when the program starts, outside of the function that handles a request, and share it; "
        "clients are safe to share between threads (but Java's consumer)."
    )

    def new_state(self) -> Lifetimes:
        """Begin with none."""
        return Lifetimes(int(self.limits["seconds"] * SECOND))

    def connection(self, report: ConnectionReport) -> None:
        """Count a connection that lived from SYN to end within a short time."""
        connection = report.connection
        lifetime = connection.last.time - connection.first.time
        if connection.initiator is None or connection.ended_by not in ("fin", "rst"):
            return
        if lifetime >= self.limits["lifetime"] * SECOND:
            return
        client = self.facts.client(connection)
        client_id = client.client_id if client is not None else None
        if client is None and not (report.protocol == "tls" and self._both_sent(report)):
            return
        host, family = host_of(report.client), family_of(client_id) if client_id else None
        what = f"connection of {seconds_text(lifetime)} to {report.server}"
        # Those of a family of client ids, and all of the host.
        for key in {Client(family, host), Client(None, host)}:
            state = self.state(key)
            state.add_end(report.server, connection.first.time)
            state.client_ids.add(client_id)
            state.add(connection.first, what, report)
            if key.client_id is None:
                state.nameless += family is None
                if family is not None and (family in state.families or len(state.families) < _MOST_COUNTED):
                    state.families[family] = state.families.get(family, 0) + 1

    @staticmethod
    def _both_sent(report: ConnectionReport) -> bool:
        return all(counter.data_bytes for counter in report.connection.counters)

    def finding(self, key: Any, state: Lifetimes) -> Finding | None:
        """Fire where a window held too many."""
        assert isinstance(key, Client)
        of_family = state.nameless if key.client_id is None else state.count
        least = self.limits["connections"]
        if key.client_id is None and 2 * of_family < state.count:
            # Several programs: they are told of by their names, where one of them makes most.
            least = self.limits["of_host"]
            if 2 * max(state.families.values(), default=0) >= state.count:
                return None
        if state.peak < least:
            return None
        names = list(state.client_ids)
        who = key.host
        if key.client_id is not None:
            who = names[0] if len(names) == 1 else f"{key.client_id} (client ids {', '.join(names[:3])}, …)"
        elif 2 * state.nameless < state.count:
            who = f"{key.host} (client ids {', '.join(names[:3])}, …)"
        summary = (
            f"{who} made {state.count:,} connections that lived less than {self.limits['lifetime']:g} s, "
            f"up to {state.peak:,} to one server within {self.limits['seconds']:g} s."
        )
        subject = {"clientId": state.client_ids.only or names}
        if len(names) != 1:
            subject["client"] = connections_subject(state.clients) or key.host
        return self.make(state, subject, summary)


CHURN_RULES: tuple[type[Rule[Any]], ...] = (ConnectionChurn,)
