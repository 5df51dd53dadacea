# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about leaders and addresses that Metadata tells: partitions without a leader, one address for all brokers."""

from typing import Any

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.diagnose.error_rule import ErrorRule, ErrorTally, elements, partition_of
from kafkasniff.diagnose.facts.answers import Named, metadata_answer
from kafkasniff.diagnose.facts.clients import Client, at_host, client_of
from kafkasniff.diagnose.facts.whole_bodies import is_follower, request_of, response_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.rates import SECOND
from kafkasniff.diagnose.memory.tallies import MOST_NAMES, Names, Tally
from kafkasniff.diagnose.options.library import Advice
from kafkasniff.diagnose.rule import WITH_STATES, Rule, Threshold, seconds_text, times_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import DESCRIBE_TOPIC_PARTITIONS, METADATA
from kafkasniff.protocol.error_codes.numbers import LEADER_NOT_AVAILABLE, NOT_COORDINATOR, NOT_LEADER_OR_FOLLOWER

_MOST_PARTITIONS = 1_000
"""Partitions of a topic that are told apart."""
_WHOLE_TOPIC = -1


class Leaderless:
    """Since when a partition has had no leader."""

    __slots__ = ("last", "replicas", "since")

    def __init__(self, time: int) -> None:
        """Begin when that was first told (ns)."""
        self.since = self.last = time
        self.replicas: tuple[int, ...] = ()


class Offline(Tally):
    """A topic's partitions without a leader."""

    __slots__ = ("brokers", "client_ids", "for_long", "longest", "partitions")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.partitions: dict[int, Leaderless] = {}
        self.longest = 0
        self.for_long: dict[int, tuple[int, ...]] = {}
        """Partitions that had none for long enough, with the brokers of their replicas."""
        self.client_ids = Names()
        self.brokers: frozenset[int] = frozenset()
        """Those that the latest such answer names."""


_DISK_FAILED = Advice(
    "The brokers with its replicas are up, but none can lead: a log directory has failed there (disk full, I/O error; "
    "KIP-112), or the last in-sync replica came back without its data.",
    "Look for 'Stopping serving logs in dir' in the broker's log (kafka-log-dirs.sh --describe shows failed "
    "directories); free or replace the disk, and restart the broker. Give topics a replication factor of 3.",
)


class PartitionOffline(ErrorRule):
    """A partition has no leader."""

    id = "partition-offline"
    title = "A partition has no leader"
    severity = "error"
    scope = "topic"
    looks_across_clients = True
    state_type = Offline
    codes = frozenset({LEADER_NOT_AVAILABLE})
    apis = frozenset({METADATA, DESCRIBE_TOPIC_PARTITIONS})
    sampled = frozenset({METADATA})
    only = dict.fromkeys(apis, WITH_STATES)
    thresholds = (
        Threshold("seconds", 5, "s", "for which Metadata names none; making a topic or electing a leader takes less"),
    )
    meaning = "Nothing can be written to the partition or read from it; records for it wait, and time out."
    wire = (
        "Metadata or DescribeTopicPartitions answers name leader -1 with 5 LEADER_NOT_AVAILABLE for the same "
        "partition, or Metadata a leader that is not among its brokers, for seconds."
    )
    cause = (
        "All brokers with an in-sync replica of the partition are down; with replication factor 1 one is enough. An "
        "unclean election would lose records, and does not happen by default."
    )
    fix = (
        "Bring the broker back (kafka-topics.sh --describe --unavailable-partitions names its replicas). Give topics a "
        "replication factor of 3; enable unclean.leader.election.enable only where lost records do not matter."
    )

    def wanted(self, call: Call) -> bool:
        """Look at what clients are told."""
        return call.api_key in self.apis

    def errors(self, call: Call, errors: list[FieldError]) -> None:
        """Note partitions without a leader."""
        response = response_of(call)
        for error in errors:
            topic = self.topic_of(call, error)
            if topic is not None:
                self._lacks(call, topic, elements(response, error.path)[-1])

    def samples(self, seen: SeenCall) -> None:
        """Note partitions whose leader is among no brokers, though the answer has no error."""
        for topic, partition in metadata_answer(seen.call).leaderless():
            name = self.facts.name_in(topic)
            if name is not None:
                self._lacks(seen.call, name, partition)

    def _lacks(self, call: Call, topic: str, element: dict[str, Any]) -> None:
        """Note that a partition, or a whole topic, has no leader, and for how long."""
        assert call.response is not None
        now, response = call.response.last.time, response_of(call)
        state = self.state(topic)
        assert isinstance(state, Offline)
        index = element.get("partitionIndex", _WHOLE_TOPIC)
        if index not in state.partitions and len(state.partitions) >= _MOST_PARTITIONS:
            return
        partition = state.partitions.setdefault(index, Leaderless(now))
        partition.last = now
        partition.replicas = tuple(element.get("replicaNodes", ())[:MOST_NAMES])
        lasting = now - partition.since
        state.longest = max(state.longest, lasting)
        if lasting >= self.limits["seconds"] * SECOND:
            state.for_long[index] = partition.replicas
        state.brokers = _nodes(response) or state.brokers
        if state.last is not call.response.last:
            what = f"{call.api_name} names no leader of {topic}{'' if index < 0 else f'-{index}'}"
            state.add(call.response.last, what, call, topic)
            state.client_ids.add(client_of(call).client_id)

    def call(self, seen: SeenCall) -> None:
        """Forget partitions that have a leader again."""
        if seen.call.response is None:
            return
        response = response_of(seen.call)
        nodes = _nodes(response)
        for topic in response.get("topics", ()):
            state = self.states.get(self.facts.name_in(topic))
            if not isinstance(state, Offline):
                continue
            if not topic["errorCode"]:
                state.partitions.pop(_WHOLE_TOPIC, None)
            for partition in topic["partitions"] if state.partitions else ():
                leader = partition["leaderId"]
                if not partition["errorCode"] and (leader in nodes or (not nodes and leader >= 0)):
                    state.partitions.pop(partition["partitionIndex"], None)

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire where it lasted."""
        assert isinstance(state, Offline)
        if not state.for_long:
            return None
        indexes = sorted(index for index in state.for_long if index >= 0)
        replicas = sorted({node for nodes in state.for_long.values() for node in nodes})
        down = [node for node in replicas if state.brokers and node not in state.brokers]
        which = f"Partition {', '.join(map(str, indexes[:MOST_NAMES]))} of topic {key}" if indexes else f"Topic {key}"
        where = f"; its replicas are on broker {', '.join(map(str, replicas))}" if replicas else ""
        where += f", of which {', '.join(map(str, down))} is not in the cluster" if down else ""
        up = bool(replicas and state.brokers) and not down
        where += f", which {'is' if len(replicas) == 1 else 'are'} up" if up else ""
        subject = {
            "topic": key,
            "partition": indexes[0] if len(indexes) == 1 else indexes[:MOST_NAMES],
            "clientId": state.client_ids.only or list(state.client_ids),
            "brokerId": down[0] if len(down) == 1 else None,
        }
        summary = f"{which} had no leader for {seconds_text(state.longest)}{where}."
        return self.make(state, subject, summary, **(_DISK_FAILED._asdict() if up else {}))


def _nodes(response: dict[str, Any]) -> frozenset[int]:
    """Give the brokers that a Metadata answer names; DescribeTopicPartitions names none."""
    return frozenset(item["nodeId"] for item in response.get("brokers", ()))


class Balanced(Tally):
    """Errors of clients that were told one address for all brokers, or names that lead to one."""

    __slots__ = ("brokers", "by_client", "metadata", "names", "rounds")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.by_client: dict[Client, int] = {}
        self.metadata = 0
        """Metadata answers that gave the address for several brokers."""
        self.brokers = 0
        self.names: tuple[str, ...] = ()
        """Those of the brokers, where they seem to lead to one address."""
        self.rounds: dict[tuple[str | None, int | None], tuple[int, int]] = {}
        """By partition: its refusals with Metadata in between, and the Metadata answers before the latest."""

    @property
    def most(self) -> int:
        """Give the most refusals of a partition with Metadata in between."""
        return max((rounds for rounds, _ in self.rounds.values()), default=0)


class LoadBalancerInFront(ErrorRule):
    """All brokers advertise one address."""

    id = "load-balancer-in-front"
    title = "A load balancer stands in front of all brokers"
    severity = "error"
    scope = "advertised address, or server"
    looks_across_clients = True
    state_type = Balanced
    codes = frozenset({NOT_LEADER_OR_FOLLOWER, NOT_COORDINATOR})
    apis = frozenset({METADATA})
    response_fields = frozenset({"brokers", "nodeId", "host", "port"})
    thresholds = (
        Threshold("calls", 3, "calls", "answered by the wrong broker"),
        Threshold("brokers", 2, "brokers", "with one host and port in a Metadata answer"),
        Threshold(
            "rounds", 3, "refusals", "of one partition, each after Metadata: who has moved away is found by then"
        ),
    )
    meaning = (
        "A Kafka client must reach each broker by itself: which one answers here is chance, so that requests reach a "
        "broker that does not lead the partition or is not the coordinator, however often metadata are asked for."
    )
    wire = (
        "Metadata names one host and port for several node ids; then 6 NOT_LEADER_OR_FOLLOWER and 16 NOT_COORDINATOR "
        "although the metadata are right and were asked for again. Or Metadata names each broker by another name, and "
        "all connections go to one address, which refuses the same partition again and again."
    )
    cause = "advertised.listeners of all brokers names a TCP load balancer, an ingress or a Kubernetes Service."
    fix = (
        "Give each broker an advertised address or port of its own, such as a NodePort or a load balancer's port "
        "for each; the common address is for the client's first contact only ({bootstrap.servers})."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with no address known."""
        super().__init__(*arguments)
        self._told: Bounded[str] = Bounded()
        """By client, the address that it was told for several brokers."""
        self._named: Bounded[Named] = Bounded()
        self._servers: Bounded[str | None] = Bounded()
        """By client and port, the one server that it connects to; None for several."""

    def wanted(self, call: Call) -> bool:
        """Look at clients that were told one address for several brokers, or names; other rules look at all others."""
        client = at_host(client_of(call))
        told = self._told.get(client) is not None or self._named.get(client) is not None
        return told and not is_follower(request_of(call))

    def begins(self, seen: SeenCall) -> None:
        """Note where a client connects to."""
        key, server = (at_host(seen.client), seen.call.server.rpartition(":")[2]), seen.call.server
        if self._servers.touch(key, lambda: server) != server:
            self._servers.put(key, None)

    def call(self, seen: SeenCall) -> None:
        """See whether brokers have one address."""
        if seen.call.response is None:
            return
        answer = metadata_answer(seen.call)
        if answer.shared is None:
            if len(answer.brokers) >= self.limits["brokers"]:
                self._note_names(at_host(seen.client), answer.named)
            return
        address, count = answer.shared
        if count < self.limits["brokers"]:
            return
        self._told.put(at_host(seen.client), address)
        state = self.state(address)
        assert isinstance(state, Balanced)
        state.metadata += 1
        state.brokers = max(state.brokers, count)

    def _note_names(self, client: Client, named: Named | None) -> None:
        """Note brokers that differ by their names alone; None for others."""
        known = self._named.get(client)
        if named is None:
            self._named.pop(client)
        else:
            self._named.put(client, named if known is None else named._replace(told=known.told + 1))

    def errors(self, call: Call, errors: list[FieldError]) -> None:
        """Count calls that reached the wrong broker."""
        client = at_host(client_of(call))
        address, named = self._told.get(client), self._named.get(client)
        if named is not None and call.server.rpartition(":")[2] != str(named.port):
            named = None
        if (address is None and named is None) or call.response is None:
            return
        state = self.state(address or call.server)
        assert isinstance(state, Balanced)
        if address is None and named is not None:
            state.names, state.metadata, state.brokers = named.names, named.told, len(named.names)
            for error in errors[:MOST_NAMES]:
                place = self.topic_of(call, error), partition_of(call, error)
                rounds, before = state.rounds.get(place) or (0, 0)
                if before < named.told and (place in state.rounds or len(state.rounds) < _MOST_PARTITIONS):
                    state.rounds[place] = rounds + 1, named.told
        if client in state.by_client or len(state.by_client) < MOST_NAMES:
            state.by_client[client] = state.by_client.get(client, 0) + 1
        what = f"{call.api_name} v{call.api_version} answered with {errors[0].name}"
        state.add(call.response.last, what, call, self.topic_of(call, errors[0]))

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(state, Balanced)
        if state.count < self.limits[self.least]:
            return None
        advertised = key
        if state.names:
            port = key.rpartition(":")[2]
            only = all(self._servers.get((client, port)) == key for client in state.by_client)
            if state.most < self.limits["rounds"] or not only:
                return None
            advertised = [f"{name}:{port}" for name in state.names]
        by_count = sorted(state.by_client.items(), key=lambda item: -item[1])
        who = ", ".join(f"{client.name} {times_text(count)}" for client, count in by_count)
        lead = f"names {', '.join(state.names)}, which all lead to" if state.names else "gives"
        summary = (
            f"Metadata {lead} {key} for {state.brokers} brokers; requests reached the wrong one ({who}), though "
            f"metadata were asked for {times_text(state.metadata)}."
        )
        subject = {"advertised": advertised, "clientId": by_count[0][0].client_id, "topic": state.topics.only}
        return self.make(state, subject, summary)


LEADER_RULES: tuple[type[Rule[Any]], ...] = (PartitionOffline, LoadBalancerInFront)
