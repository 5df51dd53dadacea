# cython: language_level=3, annotation_typing=False, boundscheck=True
"""What Metadata answers tell, worked out once for all that are equal: brokers tell many clients the same."""

import ipaddress
from functools import lru_cache
from typing import Any, NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.diagnose.facts.whole_bodies import response_of
from kafkasniff.diagnose.memory.tallies import MOST_NAMES

METADATA_FIELDS = frozenset(
    {
        *("throttleTimeMs", "brokers", "nodeId", "host", "port", "rack", "clusterId"),
        *("topics", "errorCode", "name", "topicId", "partitions", "partitionIndex"),
        *("leaderId", "replicaNodes", "isrNodes"),
    }
)
"""Fields of Metadata answers that `Facts` and rules read: an answer is scanned once for all of them."""


class Named(NamedTuple):
    """Brokers with names of their own and one port, as a client was told them."""

    names: tuple[str, ...]
    port: int
    told: int
    """How often."""


class MetadataAnswer:
    """What an answer tells. Equal answers may have one and the same."""

    __slots__ = (
        *("_lagging", "_leaderless", "body", "brokers", "cluster", "learnt"),
        *("named", "node_ids", "nodes", "shared", "what"),
    )

    def __init__(self, body: dict[str, Any]) -> None:
        """Take the fields of `METADATA_FIELDS`; none where the body did not decode well."""
        self.body = body
        self.brokers: list[dict[str, Any]] = body.get("brokers") or []
        cluster = body.get("clusterId")
        self.cluster = cluster and short_name(cluster)
        """The cluster's id, which old versions do not tell."""
        self.node_ids = [item["nodeId"] for item in self.brokers]
        addresses = [f"{short_name(item['host'])}:{item['port']}" for item in self.brokers]
        self.nodes = dict(zip(addresses[:MOST_NAMES], self.node_ids, strict=False))
        """Node ids by `host:port`, of the first brokers."""
        self.what = f"Metadata names {', '.join(self.nodes)}"
        self.shared = _shared(addresses)
        """The address that most brokers have, and how many; None where each has its own."""
        self.named = _named(self.brokers, addresses)
        """The brokers, where they differ by their names alone."""
        self.learnt: tuple[object, object] = (None, None)
        """What the two `Facts` knew that learnt the answer last: a task of the pipeline has two."""
        # Worked out when first asked for.
        self._lagging: list[tuple[dict[str, Any], list[int]]] | None = None
        self._leaderless: list[tuple[dict[str, Any], dict[str, Any]]] | None = None

    def lagging(self) -> list[tuple[dict[str, Any], list[int]]]:
        """Give topics, each with the brokers whose replicas have left the ISR of one of its partitions."""
        if self._lagging is None:
            topics = self.body.get("topics") or ()
            self._lagging = [(topic, nodes) for topic in topics if (nodes := _lagging(topic))]
        return self._lagging

    def leaderless(self) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """Give topics and partitions whose leader is among no brokers."""
        if self._leaderless is None:
            nodes, topics = frozenset(self.node_ids), (self.body.get("topics") or ()) if self.node_ids else ()
            self._leaderless = [
                (topic, item) for topic in topics for item in topic["partitions"] if item["leaderId"] not in nodes
            ]
        return self._leaderless


def metadata_answer(call: Call) -> MetadataAnswer:
    """Give what a Metadata call's answer tells."""
    scan = call.scan_response(METADATA_FIELDS)
    if scan is None:
        return MetadataAnswer(response_of(call))
    answer: MetadataAnswer | None = scan.derived
    if answer is None:
        answer = scan.derived = MetadataAnswer(scan.value)
    return answer


@lru_cache(4_096)
def address_of(advertised: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Give the address that is advertised; None for a name."""
    host = advertised.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        return None


def is_name(advertised: str) -> bool:
    """Tell whether `host:port` is advertised by name, which may lead anywhere."""
    return address_of(advertised) is None


def _shared(addresses: list[str]) -> tuple[str, int] | None:
    if len(set(addresses)) == len(addresses):
        return None
    counts: dict[str, int] = {}
    for address in addresses:
        counts[address] = counts.get(address, 0) + 1
    return max(counts.items(), key=lambda item: item[1])


def _named(brokers: list[dict[str, Any]], addresses: list[str]) -> Named | None:
    ports = {item["port"] for item in brokers}
    if len(ports) != 1 or not all(map(is_name, addresses)):
        return None
    return Named(tuple(short_name(item["host"]) for item in brokers[:MOST_NAMES]), ports.pop(), 1)


def _lagging(topic: dict[str, Any]) -> list[int]:
    nodes = {
        node
        for item in topic["partitions"]
        if not item["errorCode"] and item["replicaNodes"] != item["isrNodes"]
        for node in set(item["replicaNodes"]) - set(item["isrNodes"])
    }
    return sorted(nodes)[:MOST_NAMES]
