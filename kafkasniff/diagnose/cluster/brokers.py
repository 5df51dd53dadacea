"""Rules about versions, brokers and what a cluster allows."""

import re
from collections.abc import Hashable
from functools import cache
from typing import Any, NamedTuple

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.diagnose.error_rule import ErrorKey, ErrorRule, ErrorTally, TopicErrorRule
from kafkasniff.diagnose.facts.clients import Client, at_host, client_of, host_of
from kafkasniff.diagnose.facts.facts import Facts
from kafkasniff.diagnose.facts.sides import client_direction
from kafkasniff.diagnose.facts.whole_bodies import is_follower, request_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.tallies import Names, Tally
from kafkasniff.diagnose.rule import ANY_API, Rule, Threshold, connections_subject, counted, times_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import (
    ALTER_PARTITION,
    API_VERSIONS,
    CONSUMER_GROUP_HEARTBEAT,
    CONTROLLED_SHUTDOWN,
    LEADER_AND_ISR,
    METADATA,
    STOP_REPLICA,
    UPDATE_METADATA,
    WRITE_TXN_MARKERS,
)
from kafkasniff.protocol.api_releases import API_RELEASES
from kafkasniff.protocol.error_codes.numbers import (
    NOT_ENOUGH_REPLICAS,
    NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    STALE_BROKER_EPOCH,
    UNSUPPORTED_VERSION,
)
from kafkasniff.protocol.headers import is_known

_KAFKA_4 = "4.0.1"
_BROKER_APIS = frozenset(
    {LEADER_AND_ISR, STOP_REPLICA, UPDATE_METADATA, CONTROLLED_SHUTDOWN, WRITE_TXN_MARKERS, ALTER_PARTITION}
)
"""What brokers and controllers ask each other."""

_MOST_CLIENTS = 1_000
"""Clients of a server whose cluster is remembered."""

_FETCHER = re.compile(r"broker-\d+-fetcher-\d+")
"""What followers call themselves (ReplicaFetcherManager); requests of theirs may lack a replica id."""


@cache
def below_kafka4(api_key: int, version: int) -> bool:
    """Tell whether Kafka 4.0 removed a version that clients use (KIP-896)."""
    releases = API_RELEASES.get(api_key)
    return (
        releases is not None
        and api_key not in _BROKER_APIS
        and _KAFKA_4 in releases
        and version < releases[_KAFKA_4].lowest
    )


def may_be_refused(facts: Facts, server: str, api_key: int, version: int) -> bool:
    """Tell whether a broker may close a connection for the version of a request.

    Where its ApiVersions was not seen: for those that Kafka 4.0 removed, and those that no release has, but for
    ApiVersions' own (KIP-511).
    """
    offered = facts.supports(server, api_key, version)
    if offered is not None:
        return not offered
    return below_kafka4(api_key, version) or not (api_key == API_VERSIONS or is_known(api_key, version))


class UnsupportedVersion(ErrorRule):
    """The broker does not know the versions that a client sends."""

    id = "unsupported-version"
    title = "The broker does not support the client's versions"
    severity = "error"
    scope = "client"
    codes = frozenset({UNSUPPORTED_VERSION})
    ends_connections = True
    thresholds = (Threshold("calls", 3, "calls", "one refused ApiVersions is how clients find the version (KIP-511)"),)
    meaning = "The client sends requests in versions that the broker does not have, and cannot work at all."
    wire = (
        "Error 35 UNSUPPORTED_VERSION in answers other than ApiVersions', or a request in a version that no release "
        "has, that Kafka 4.0 removed, or that the broker's ApiVersions did not offer, which is never answered while "
        "the server closes the connection; then the client comes again."
    )
    cause = "The client library is too old for the broker (KIP-896), or its version was pinned by hand."
    fix = "Upgrade the client library. Take out pinned versions ({api_version})."

    def wanted(self, call: Call) -> bool:
        """Leave out ApiVersions, of which one refusal is normal, and a protocol that can be switched off."""
        return call.api_key not in (API_VERSIONS, CONSUMER_GROUP_HEARTBEAT)

    def unanswered(self, call: Call) -> None:
        """Count requests that the server answered by closing the connection."""
        header, connection = call.header, call.connection
        if call.outcome != "unanswered" or header is None or call.request is None:
            return
        refused = may_be_refused(self.facts, call.server, header.api_key, header.api_version)
        if connection.ended_direction == 1 - client_direction(call) and refused:
            state = self.state(ErrorKey(at_host(client_of(call)), None))
            what = f"{call.api_name} v{call.api_version} never answered; the server closed the connection"
            state.add(call.request.last, what, call)
            state.programs.add(call.connection)
            name = f"no answer to {call.api_name} v{call.api_version}"
            state.codes[name] = state.codes.get(name, 0) + 1


class OldVersions(Tally):
    """Calls in versions that Kafka 4.0 removed, and who made them."""

    __slots__ = ("client_ids", "versions")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.versions: dict[tuple[str, int], int] = {}
        self.client_ids = Names()


class SoftwareKey(NamedTuple):
    """The clients on a host that use the same software."""

    programs: Client
    software: str | None
    """Name and version, as ApiVersions tells them; None where it does not."""
    by_choice: bool = True
    """Whether the broker has newer versions, or was not asked for them."""


class BelowKafka4Minimum(Rule[OldVersions]):
    """A client uses versions that Kafka 4.0 removed."""

    id = "below-kafka4-minimum"
    title = "The client uses versions that Kafka 4.0 removed"
    severity = "warning"
    scope = "client host and software"
    state_type = OldVersions
    apis = ANY_API
    request_fields = frozenset({"replicaId", "replicaState"})
    thresholds = (Threshold("calls", 1, "calls", "KIP-896: one such request fails on a 4.x broker"),)
    meaning = "The client works with this broker, but will stop working when the broker is upgraded to 4.0 or later."
    wire = (
        "Request headers with a version below the lowest that Kafka 4.0 has (KIP-896), such as Produce v2 or Fetch v3, "
        "though the broker offers newer ones, or was not asked."
    )
    cause = "A client library older than Kafka 2.1's protocol, or one whose version is pinned."
    fix = "Upgrade the client library before the brokers, and take out pinned versions ({api_version})."

    def version(self, api_key: int, version: int) -> bool:
        """Take calls in old versions only."""
        return below_kafka4(api_key, version)

    def call(self, seen: SeenCall) -> None:
        """Count calls in old versions, but for those to brokers that have no newer ones to choose."""
        call, version = seen.call, seen.call.api_version
        if call.request is None or version is None or is_follower(seen.request):
            return
        if _FETCHER.fullmatch(seen.client.client_id or ""):
            return
        newest = self.facts.newest(call.server, seen.key)
        if newest is not None and below_kafka4(seen.key, newest):
            return
        software = f"{call.software_name} {call.software_version}" if call.software_name else None
        by_choice = newest is not None or call.connection.initiator is not None
        state = self.state(SoftwareKey(Client(None, host_of(call.client)), software, by_choice))
        name = (call.api_name or "", version)
        state.versions[name] = state.versions.get(name, 0) + 1
        state.client_ids.add(seen.client.client_id or None)
        state.add(call.request.last, f"{call.api_name} v{version}", call)

    def finding(self, key: Any, state: OldVersions) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(key, SoftwareKey)
        if state.count < self.limits["calls"]:
            return None
        sure = None if key.by_choice else self.states.get(key._replace(by_choice=True))
        if sure is not None and set(state.client_ids) <= set(sure.client_ids):
            return None
        names = ", ".join(f"{name} v{version}" for name, version in sorted(state.versions))
        software = f" ({key.software})" if key.software else ""
        who = ", ".join(state.client_ids) or key.programs.host
        summary = f"{who}{software} sent {counted(state.count, 'request')} in versions that Kafka 4.0 removed: {names}."
        subject = {
            "clientId": state.client_ids.only or list(state.client_ids),
            "client": connections_subject(state.clients) or key.programs.host,
        }
        if key.by_choice:
            return self.make(state, subject, summary)
        summary += " Their connections began before the capture; the broker may have no newer ones to choose."
        return self.make(state, subject, summary, severity="info")


class RefusedWrites(ErrorTally):
    """Refused writes, and the batches of the last refused one in a transaction."""

    __slots__ = ("batches",)

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.batches: set[tuple[int, int, int]] = set()
        """Producer id, epoch and first sequence number of each."""


class NotEnoughReplicas(TopicErrorRule):
    """Writes are refused as too few replicas are in sync."""

    id = "not-enough-replicas"
    title = "Too few replicas are in sync"
    severity = "error"
    scope = "client and topic"
    state_type = RefusedWrites
    codes = frozenset({NOT_ENOUGH_REPLICAS, NOT_ENOUGH_REPLICAS_AFTER_APPEND})
    thresholds = (Threshold("calls", 3, "calls", "a broker's restart brings one or two"),)
    meaning = "Producers with acks=all cannot write, as fewer replicas are in sync than min.insync.replicas demands."
    wire = (
        "Produce answered with 19 NOT_ENOUGH_REPLICAS or 20 NOT_ENOUGH_REPLICAS_AFTER_APPEND, retried again and again. "
        "In a transaction 19 counts only for a batch that was refused before: a broker that verifies transactions also "
        "says it once while the transaction before it still ends (KIP-890)."
    )
    cause = "A broker with a replica is down or lags, and min.insync.replicas leaves no room for that."
    fix = (
        "Bring the missing broker back. Keep replication.factor at least one above min.insync.replicas (3 and 2). "
        "How long the producer retries is its own setting ({delivery.timeout.ms})."
    )

    def count(self, key: Hashable, call: Call, error: FieldError) -> None:
        """Count a refused write; in a transaction from the second refusal of a batch on.

        ReplicaManager turns what a transaction's verification meets, such as CONCURRENT_TRANSACTIONS, into this error
        for clients that would not retry it else.
        """
        state = self.state(key)
        assert isinstance(state, RefusedWrites)
        if error.code == NOT_ENOUGH_REPLICAS and request_of(call).get("transactionalId"):
            headers = [batch for side, _, batch in call.batch_headers if side == "request"]
            before = state.batches
            state.batches = {(batch.producer_id, batch.producer_epoch, batch.base_sequence) for batch in headers}
            if not before & state.batches:
                return
        super().count(key, call, error)


class StaleBrokerEpoch(ErrorRule):
    """A broker registered anew speaks with an old epoch."""

    id = "stale-broker-epoch"
    title = "A broker uses an old broker epoch"
    severity = "error"
    scope = "broker"
    codes = frozenset({STALE_BROKER_EPOCH})
    thresholds = (Threshold("calls", 4, "calls", "a restart brings one or two, then the broker registers anew"),)
    meaning = (
        "The controller refuses what a broker says, since another process registered under the same broker id later."
    )
    wire = "77 STALE_BROKER_EPOCH in BrokerHeartbeat, AlterPartition or other broker requests, again and again."
    cause = "Two brokers run with the same node.id, or an old process was not stopped when its successor began."
    fix = (
        "Stop one of them: make sure that each node.id belongs to one process. Look for a container that was "
        "started twice."
    )

    def name_of(self, call: Call, error: FieldError) -> str | None:
        """Count each broker id apart."""
        return str(request_of(call).get("brokerId", ""))

    def more_subject(self, key: ErrorKey) -> dict[str, object]:
        """Name the broker."""
        return {"brokerId": int(key.name)} if key.name else {}

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Say how often it was refused."""
        return f"Broker {key.name} ({key.client.name}) was refused {state.count:,} times with an old broker epoch."


class Clusters(Tally):
    """The clusters that clients of a server were told of."""

    __slots__ = ("client_ids", "latest", "pairs")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.latest: Bounded[str] = Bounded(_MOST_CLIENTS)
        """By client, the cluster id that it was told last."""
        self.client_ids = Names()
        self.pairs = Names()
        """Those that it was told before and after a change."""


class ClusterIdChanged(Rule[Clusters]):
    """Another cluster answers at an address."""

    id = "cluster-id-changed"
    title = "Another cluster answers at the same address"
    severity = "warning"
    scope = "server"
    looks_across_clients = True
    state_type = Clusters
    apis = frozenset({METADATA})
    response_fields = frozenset({"clusterId"})
    thresholds = (Threshold("changes", 1, "changes", "a cluster keeps its id for as long as it lives"),)
    meaning = (
        "Topics, groups and offsets that clients knew are those of another cluster; records may be lost or mixed up."
    )
    wire = "Metadata of one server names another clusterId than before to the same client."
    cause = (
        "The cluster was made anew (its log directories were lost or formatted), or a name, load balancer or proxy "
        "leads to another cluster."
    )
    fix = (
        "Compare the clients' addresses ({bootstrap.servers}), DNS and load balancers with the cluster that is meant "
        "(kafka-cluster.sh cluster-id). Restart clients once they lead there; see that brokers keep their log "
        "directories."
    )

    def call(self, seen: SeenCall) -> None:
        """Compare the cluster id with the one before."""
        cluster = seen.response.get("clusterId")
        if not cluster:
            return
        state = self.state(seen.call.server)
        before = state.latest.get(seen.client)
        if before is not None and before != cluster:
            state.pairs.add(f"{before}, then {cluster}")
            state.client_ids.add(seen.client.client_id or None)
            state.add(seen.call.ended, f"Metadata names cluster {cluster}, and before {before}", seen.call)
        if before != cluster:
            state.latest.put(seen.client, cluster)

    def finding(self, key: Any, state: Clusters) -> Finding | None:
        """Fire from the threshold on."""
        if state.count < self.limits["changes"]:
            return None
        who = ", ".join(list(state.client_ids)[:3]) or "clients"
        pairs = "; ".join(list(state.pairs)[:2])
        summary = f"{key} named another cluster than before to {who} {times_text(state.count)}: {pairs}."
        subject = {
            "server": key,
            "clientId": state.client_ids.only or list(state.client_ids),
            "client": connections_subject(state.clients),
        }
        return self.make(state, subject, summary)


CLUSTER_RULES = (
    ClusterIdChanged,
    UnsupportedVersion,
    BelowKafka4Minimum,
    NotEnoughReplicas,
    StaleBrokerEpoch,
)
