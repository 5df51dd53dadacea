"""Which vantages see the same Kafka cluster, so that rules look at their calls together."""

from collections.abc import Iterable, Mapping
from ipaddress import ip_address

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.calls.items import Item
from kafkasniff.diagnose.facts import DESCRIBE_CLUSTER, METADATA, host_of, response_of
from kafkasniff.diagnose.memory import MOST_CONNECTIONS, Bounded
from kafkasniff.pipeline.findings.clocks import SharedCalls
from kafkasniff.pipeline.findings.events import arrival_of

_MOST_NAMES = 10_000
"""Brokers and clusters of a vantage that are told apart."""
_TELLING = (METADATA, DESCRIBE_CLUSTER)
_NEAR_NS = 1_000_000_000
"""The clocks of two vantages are this close, or closer."""


class ClusterNames:
    """What the calls of a vantage tell of its cluster: its id, and the addresses of its brokers."""

    __slots__ = ("_servers", "calls", "names")

    def __init__(self) -> None:
        """Begin with nothing."""
        self.names: set[str] = set()
        self._servers: set[str] = set()
        self.calls = SharedCalls()

    def take(self, call: Call) -> None:
        """Take a call."""
        if call.outcome != "answered":
            return
        self.calls.take(call)
        if len(self.names) >= _MOST_NAMES:
            return
        self._take_server(call.server)
        if call.api_key in _TELLING and (cluster_id := response_of(call).get("clusterId")):
            self.names.add(f"cluster {short_name(cluster_id)}")

    def _take_server(self, server: str) -> None:
        if server in self._servers or len(self.names) >= _MOST_NAMES:
            return
        self._servers.add(server)
        # Each host has a 127.0.0.1 of its own.
        if not ip_address(host_of(server).strip("[]")).is_loopback:
            self.names.add(server)


def clusters_of(names: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Give the vantages that have a name in common, directly or by way of others; `names` holds those of each."""
    clusters: list[tuple[list[str], set[str]]] = []
    for vantage in sorted(names):
        vantages, all_names = [vantage], set(names[vantage])
        apart = []
        for cluster in clusters:
            if cluster[1].isdisjoint(all_names):
                apart.append(cluster)
            else:
                vantages, all_names = [*cluster[0], *vantages], all_names | cluster[1]
        clusters = [*apart, (sorted(vantages), all_names)]
    return [vantages for vantages, _ in clusters]


class Copies:
    """Of a connection that several vantages of a cluster saw, lets through what the first to show it gives."""

    __slots__ = ("_owners",)

    def __init__(self) -> None:
        """Begin with no connection seen."""
        self._owners: Bounded[tuple[str, int | None]] = Bounded(MOST_CONNECTIONS)

    def takes(self, vantage: str, item: Item) -> bool:
        """Tell whether an item is of the vantage that speaks for its connection."""
        time = arrival_of(item).time
        key = frozenset(item.connection.endpoints)
        owner, until = self._owners.get(key) or (vantage, None)
        if owner != vantage and (until is None or time <= until + _NEAR_NS):
            return False
        # Once its capture has ended, another may go on.
        ended = time if item.connection.ended_by is not None else None
        self._owners.put(key, (vantage, ended))
        return True
