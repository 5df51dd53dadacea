# cython: language_level=3, annotation_typing=False, boundscheck=True, nonecheck=True
"""Which vantages see the same Kafka cluster, so that rules look at their calls together."""

from collections.abc import Iterable, Mapping
from ipaddress import ip_address

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.calls.items import Item
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.diagnose.facts.clients import host_of
from kafkasniff.diagnose.memory.bounded import MOST_CONNECTIONS, Bounded
from kafkasniff.pipeline.findings.clocks import Shared
from kafkasniff.pipeline.findings.events import arrival_of
from kafkasniff.protocol.api_keys import DESCRIBE_CLUSTER, METADATA

_MOST_NAMES = 10_000
"""Brokers and clusters of a vantage that are told apart."""
_MOST_OPENED = 100
"""The same, of servers of which it is not known that they are brokers."""
_OPENED = "opened "
"""Before the address of one."""
_TELLING = (METADATA, DESCRIBE_CLUSTER)
_CLUSTER_ID = frozenset({"clusterId"})
_NEAR_NS = 1_000_000_000
"""The clocks of two vantages are this close, or closer."""


class ClusterNames:
    """What a vantage tells of its cluster: its id, the addresses of its brokers, and what others may have seen too."""

    __slots__ = ("_servers", "names", "shared")

    def __init__(self) -> None:
        """Begin with nothing."""
        self.names: set[str] = set()
        self._servers: set[str] = set()
        self.shared = Shared()

    def take(self, item: Item) -> None:
        """Take what comes next."""
        if isinstance(item, ConnectionReport):
            self.shared.take_connection(item)
            if len(self._servers) < _MOST_OPENED:
                self._take_server(item.server, _OPENED)
        elif isinstance(item, Call):
            call = item
            if call.outcome != "answered":
                return
            self.shared.take_call(call)
            if len(self.names) >= _MOST_NAMES:
                return
            self._take_server(call.server)
            if call.api_key in _TELLING:
                # Their topics are many.
                scan = call.scan_response(_CLUSTER_ID)
                if scan is not None and scan.value and (cluster_id := scan.value.get("clusterId")):
                    self.names.add(f"cluster {short_name(cluster_id)}")

    def _take_server(self, server: str, prefix: str = "") -> None:
        name = prefix + server
        if name in self._servers or len(self.names) >= _MOST_NAMES:
            return
        self._servers.add(name)
        # Each host has a 127.0.0.1 of its own.
        if not ip_address(host_of(server).strip("[]")).is_loopback:
            self.names.add(name)


def settled(names: set[str]) -> set[str]:
    """Give what tells the cluster of a vantage; where nothing was answered, the servers that were called on."""
    proven = {name for name in names if not name.startswith(_OPENED)}
    return proven or {name.removeprefix(_OPENED) for name in names}


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
        time, connection = arrival_of(item).time, item.connection
        one, other = item.client, item.server
        # A text is the smallest key: there may be 100,000.
        key = f"{one} {other}" if one < other else f"{other} {one}"
        owner, until = self._owners.get(key) or (vantage, None)
        if owner != vantage and (until is None or time <= until + _NEAR_NS):
            return False
        # Once its capture has ended, another may go on.
        ended = time if connection.ended_by is not None else None
        self._owners.put(key, (vantage, ended))
        return True
