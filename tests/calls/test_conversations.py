"""What ended connections are counted as, and that conversations begin and end with them."""

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.conversations import Conversations
from kafkasniff.calls.counts import Counts
from kafkasniff.calls.items import Item
from kafkasniff.calls.limits import CallLimits
from kafkasniff.calls.options import CallOptions
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.tcp.events import Connection, ConnectionEnd, Endpoint, StreamEvent
from kafkasniff.tcp.tls.context import TlsContext
from tests.calls.hand_made import (
    BUDGET,
    CLIENT,
    SERVER,
    arrival,
    connection,
    data,
    gap,
    metadata_request,
    metadata_response,
)

TLS = bytes.fromhex("16030100f8010000f40303")
"""RFC 8446, 5.1: a handshake record, and the beginning of a ClientHello."""
HTTP = b"GET / HTTP/1.1\r\nHost: broker\r\n\r\n"


class Taken:
    """Conversations that were given events, and what came of them."""

    def __init__(self, *, reports: bool = False) -> None:
        self.counts = Counts()
        self.conversations = Conversations(CallLimits(), CallOptions(), BUDGET, TlsContext(), self.counts, reports)
        self.items: list[Item] = []

    def take(self, *events: StreamEvent) -> "Taken":
        self.items += self.conversations.take([*events])
        return self

    def end(self, of: Connection, ended_by: str = "fin") -> "Taken":
        of.ended_by = ended_by
        return self.take(ConnectionEnd(of, arrival(100)))


def test_a_connection_of_kafka_is_counted_when_it_ends() -> None:
    of, taken = connection(), Taken()
    taken.take(data(of, 0, metadata_request(1), 1), data(of, 1, metadata_response(1), 2))
    assert [item.outcome for item in taken.items if isinstance(item, Call)] == ["answered"]
    assert (taken.counts.connections, taken.counts.kafka_connections) == (0, 0)
    taken.end(of)
    counts = taken.counts
    assert (counts.connections, counts.kafka_connections, counts.others) == (1, 1, {})
    assert (counts.missing_beginnings, counts.one_way_connections, counts.unread_ends, counts.conflicts) == (0, 0, 0, 0)


def test_what_is_open_is_told_with_the_requests_that_wait() -> None:
    first, second, other, taken = connection(), connection(), connection(), Taken()
    taken.take(data(first, 0, metadata_request(1) + metadata_request(2), 1), data(second, 0, metadata_request(1), 1))
    taken.take(data(other, 0, HTTP, 1))
    assert taken.conversations.in_flight() == (2, 3)
    taken.take(data(first, 1, metadata_response(1), 2)).end(second)
    assert taken.conversations.in_flight() == (1, 1)


def test_what_lacks_of_a_connection_is_counted() -> None:
    of, taken = connection(None), Taken()
    of.counters[1].packets = 0
    of.counters[0].conflicts, of.counters[1].conflicts = 2, 1
    taken.take(data(of, 0, metadata_request(1) + metadata_request(2) + b"\0\0", 1)).end(of)
    counts = taken.counts
    assert (counts.missing_beginnings, counts.one_way_connections, counts.unread_ends, counts.conflicts) == (1, 1, 1, 3)


@pytest.mark.parametrize(
    ("initiator", "server", "port"),
    [(0, Endpoint("10.0.0.2", 8080), 8080), (1, Endpoint("10.0.0.2", 8080), 51234), (None, SERVER, 19092)],
)
def test_others_are_counted_by_protocol_and_port(initiator: int | None, server: Endpoint, port: int) -> None:
    """Where it is not known who began, a server's port is the lower one."""
    of, taken = connection(initiator), Taken()
    of.endpoints = (CLIENT, server)
    taken.take(data(of, initiator or 0, HTTP, 1)).end(of)
    assert taken.counts.others == {("http", port): 1}


def test_a_connection_without_data_is_empty() -> None:
    taken = Taken()
    taken.end(connection()).end(connection())
    assert (taken.counts.connections, taken.counts.others) == (2, {("empty", 19092): 2})


def test_ports_are_told_apart_up_to_a_thousand() -> None:
    taken = Taken()
    for port in range(1, 1_003):
        of = connection()
        of.endpoints = (CLIENT, Endpoint("10.0.0.2", port))
        taken.end(of)
    assert len(taken.counts.others) == 1_001
    assert (taken.counts.others["empty", 1_000], taken.counts.others["empty", 0]) == (1, 2)
    # One that is known still counts as itself.
    of = connection()
    of.endpoints = (CLIENT, Endpoint("10.0.0.2", 7))
    taken.end(of)
    assert taken.counts.others["empty", 7] == 2


def test_tls_is_counted_as_it_begins() -> None:
    of, taken = connection(), Taken()
    taken.take(data(of, 0, TLS, 1))
    assert (taken.counts.tls_begun, taken.counts.connections) == (1, 0)
    taken.end(of)
    assert taken.counts.others == {("tls", 19092): 1}


def test_a_proxy_header_comes_before_kafka() -> None:
    of, taken = connection(), Taken()
    header = b"PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\n"
    taken.take(data(of, 0, header, 1), data(of, 0, metadata_request(1), 2), data(of, 1, metadata_response(1), 3))
    taken.end(of)
    assert taken.counts.kafka_connections == 1


@pytest.mark.parametrize("reports", [False, True])
def test_reports_are_told_of_every_connection_where_they_are_wanted(reports: bool) -> None:
    of, empty, taken = connection(), connection(), Taken(reports=reports)
    taken.take(data(of, 0, metadata_request(1), 1), data(of, 1, metadata_response(1), 2)).end(of).end(empty)
    found = [item for item in taken.items if isinstance(item, ConnectionReport)]
    assert [(report.connection, report.protocol, report.calls) for report in found] == (
        [(of, "kafka", 1), (empty, "empty", 0)] if reports else []
    )


def test_a_gap_may_come_first() -> None:
    of, taken = connection(), Taken()
    taken.take(gap(of, 0, 40, 1), data(of, 0, metadata_request(1) + metadata_request(2), 2)).end(of)
    assert taken.counts.kafka_connections == 1
    assert [item.correlation_id for item in taken.items if isinstance(item, Call)] == [1, 2]


def test_a_new_connection_between_the_same_endpoints_is_another_conversation() -> None:
    first, second, taken = connection(), connection(), Taken()
    taken.take(data(first, 0, metadata_request(1), 1)).end(first)
    taken.take(data(second, 0, HTTP, 2)).end(second)
    assert (taken.counts.kafka_connections, taken.counts.others) == (1, {("http", 19092): 1})
