# cython: language_level=3, annotation_typing=False, boundscheck=True
"""What clients make of the addresses that Metadata names: whether they ever connect to one of them."""

import ipaddress
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from kafkasniff.diagnose.facts.answers import address_of, is_name, metadata_answer
from kafkasniff.diagnose.facts.clients import host_of
from kafkasniff.diagnose.memory.rates import SECOND
from kafkasniff.diagnose.memory.tallies import MOST_NAMES, Tally
from kafkasniff.diagnose.options.library import Library
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import (
    API_VERSIONS,
    DESCRIBE_CLUSTER,
    FIND_COORDINATOR,
    METADATA,
    SASL_AUTHENTICATE,
    SASL_HANDSHAKE,
)
from kafkasniff.protocol.api_keys import INIT_PRODUCER_ID as ASKED_OF_ANY
from kafkasniff.tcp.events import Connection

BEFORE_WORK = frozenset(
    {
        *(API_VERSIONS, METADATA, FIND_COORDINATOR, SASL_HANDSHAKE, SASL_AUTHENTICATE, DESCRIBE_CLUSTER),
        *(ASKED_OF_ANY, 71, 72),
    }
)
"""APIs that clients ask of their bootstrap servers; with telemetry."""

_REFRESH_NS = 30 * SECOND
"""Clients that know all that they need ask again after minutes (metadata.max.age.ms is 5 minutes in most)."""
_MOVING_ON = frozenset({"kafka-python", "aiokafka"})
"""Libraries that ask a bootstrap server for no topics, close that connection, and make another to a broker that they
were told (`KafkaConnectionManager._do_bootstrap` of kafka-python 3, `AIOKafkaClient.bootstrap` of aiokafka 0.14).
kafka-python 2.0.2 asks for all, in version 1, and probes versions on that connection only
(`KafkaClient._maybe_refresh_metadata` and `check_version`)."""
_ALL_OF_2_0_2 = 1
_MOST_BROKERS = 1_000
"""Of a cluster; the largest have some hundreds."""
_INSIDE = (".svc", ".local", ".internal", ".localdomain", ".lan")


class Told(Tally):
    """The addresses that a client was told, as long as it connected to none of them."""

    __slots__ = ("again", "bare", "moved", "nodes", "on", "reached")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.nodes: dict[str, int] = {}
        """Node ids by `host:port`."""
        self.reached = False
        self.again: dict[str, int] = {}
        """How often the client was told what it needs for its work, by topic, group or transactional id."""
        self.bare = Tally()
        """Answers to those with which libraries that move on begin."""
        self.on: Connection | None = None
        """The connection on which it was told first."""
        self.moved = False
        """Whether the client has another connection."""

    def told_again(self) -> int:
        """Give how often it was told the same, faster than clients refresh what they know; 0 where it was slower."""
        return max(self.again.values(), default=0) if self._hurries() else 0

    def connections(self) -> int:
        """Give on how many connections it was told; 0 where it may be a job that runs at times, and works elsewhere."""
        return min(self.count, len(self.clients)) if len(self.nodes) == 1 or self._hurries() else 0

    def _hurries(self) -> bool:
        return self.span_ns <= self.count * _REFRESH_NS

    def stands_still_ns(self) -> int:
        """Give how long the client, told what it needs and one name, has done nothing on its one connection (ns)."""
        only = not self.moved and len(self.nodes) == 1 and any(map(is_name, self.nodes))
        if not only or not self.again or self.on is None or self.last is None:
            return 0
        return self.on.last.time - self.last.time

    def leads_home(self, host: str) -> bool:
        """Tell whether all addresses are the client's own, which is on another host than the brokers."""
        addresses = [address_of(each) for each in self.nodes]
        remote = not ipaddress.ip_address(host.strip("[]")).is_loopback
        return remote and all(address is not None and address.is_loopback for address in addresses)

    def may_be_elsewhere(self) -> bool:
        """Tell whether there may be other brokers, with names, which the capture does not show."""
        return len(self.nodes) > 1 and any(map(is_name, self.nodes))

    def moves(self) -> bool:
        """Tell whether a node was told under several addresses: agents of WarpStream take turns as the one broker."""
        return len(set(self.nodes.values())) < len(self.nodes)

    def tell(self, seen: SeenCall) -> None:
        """Take a Metadata answer."""
        answer = metadata_answer(seen.call)
        if not answer.nodes or seen.failed:
            return  # Who waits for a topic or a leader goes nowhere either.
        self._take(answer.nodes)
        self.look(seen)
        topics = seen.request.get("topics")
        what = answer.what if self.nodes is answer.nodes else f"Metadata names {', '.join(self.nodes)}"
        if self._begins(seen, topics):
            self.bare.add(seen.call.ended, what, seen.call)
        if not topics and any(map(is_name, self.nodes)):
            return  # Where a name leads is not known, and tools that list topics do nothing else either.
        self.add(seen.call.ended, what, seen.call)
        for topic in (topics or ())[:MOST_NAMES]:
            self._note(f"topic {topic.get('name')}")

    def _take(self, nodes: dict[str, int]) -> None:
        """Take the brokers of an answer; what others were told as well is shared with it."""
        if not self.nodes:
            self.nodes = nodes
        elif self.nodes is not nodes and not nodes.items() <= self.nodes.items():
            self.nodes = self.nodes.copy()
            for address, node_id in nodes.items():
                if len(self.nodes) < MOST_NAMES:
                    self.nodes[address] = node_id

    def _begins(self, seen: SeenCall, topics: list[Any] | None) -> bool:
        """Tell whether a request is the one that a library that moves on sends to a bootstrap server."""
        if topics is None:
            probes = seen.call.api_version == _ALL_OF_2_0_2 and seen.history.used(API_VERSIONS)
            return probes and seen.call.client not in self.bare.clients
        return topics == [] and seen.call.api_version != 0

    def only_begins(self, libraries: Iterable[Library | None], connections: int) -> bool:
        """Tell whether a client got no further than to its bootstrap servers, of a library that never stays there.

        Each start makes one connection on which no topic is asked for, and else a second one.
        """
        moves_on = all(library is not None and library.id in _MOVING_ON for library in libraries)
        return moves_on and connections < 2 * self.bare.count

    def lead(self, seen: SeenCall) -> None:
        """Take an answer that says where a coordinator is; after an error clients ask for metadata anew."""
        if seen.failed:
            self.again.clear()
        elif self.nodes:
            self._note(f"coordinator {seen.request.get('key') or seen.request.get('coordinatorKeys')}")
            self.add(seen.call.ended, f"FindCoordinator leads to {', '.join(self.nodes)}", seen.call)

    def _note(self, what: str) -> None:
        if what in self.again or len(self.again) < MOST_NAMES:
            self.again[what] = self.again.get(what, 0) + 1

    def look(self, seen: SeenCall) -> None:
        """Note a connection of the client, and the server that it leads to."""
        self.on = self.on or seen.call.connection
        self.moved = self.moved or self.on is not seen.call.connection
        self.reached = self.reached or any(_may_be(address, seen.call.server) for address in self.nodes)


class Listed:
    """The brokers of a cluster that clients were told."""

    __slots__ = ("all", "nodes", "since", "until")

    def __init__(self, since: int) -> None:
        """Begin with none, at the time of the first answer (ns)."""
        self.since = since
        self.all: set[int] = set()
        """Node ids that were ever named."""
        self.nodes: list[int] = []
        """Those of the latest answer."""
        self.until = since
        """When that came (ns)."""

    def take(self, node_ids: list[int], time: int) -> None:
        """Take the brokers of a Metadata answer."""
        self.until = time
        nodes = node_ids[:_MOST_BROKERS]
        if nodes != self.nodes:
            self.nodes = nodes
            if len(self.all) < _MOST_BROKERS:
                self.all.update(nodes)

    def dropped(self, node_id: int) -> bool:
        """Tell whether a broker is named no more: the cluster has taken it for dead."""
        return node_id in self.all and node_id not in self.nodes


@lru_cache(4_096)
def _may_be(advertised: str, server: str) -> bool:
    """Tell whether a server is what an advertised address leads to; never for a name."""
    address, other = address_of(advertised), ipaddress.ip_address(host_of(server).strip("[]"))
    same = address == other or (address is not None and address.is_loopback and other.is_loopback)
    return same and advertised.rpartition(":")[2] == server.rpartition(":")[2]


def why_not(advertised: str, client: str) -> str:
    """Say why a client at an address cannot reach an advertised one."""
    host, address = advertised.rpartition(":")[0].strip("[]"), address_of(advertised)
    if address is None:
        if "." not in host or host.lower().endswith(_INSIDE):
            return f"{host}, a name that may be known inside the cluster's own network only"
        return f"{host}, for which the client's resolver may give no address, or another"
    if address.is_loopback:
        return f"{host}, which is {client} itself for the client"
    if address.is_private and not ipaddress.ip_address(client.strip("[]")).is_private:
        return f"{host}, a private address, to which there may be no way from {client}"
    return f"{host}, to which there may be no way from {client}"
