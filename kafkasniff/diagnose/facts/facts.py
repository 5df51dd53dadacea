# cython: language_level=3, annotation_typing=False, boundscheck=True
"""What calls tell that rules need of each other: who is behind a connection, names of topics, the brokers."""

from collections.abc import Hashable
from typing import Any, NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.long_names import LONGEST, short_name
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.diagnose.facts.answers import metadata_answer
from kafkasniff.diagnose.facts.clients import Client, client_id_of, client_of
from kafkasniff.diagnose.facts.history import ConnectionHistory
from kafkasniff.diagnose.facts.profiles import Profiles
from kafkasniff.diagnose.facts.whole_bodies import response_of
from kafkasniff.diagnose.memory.bounded import MOST_CONNECTIONS, Bounded
from kafkasniff.diagnose.memory.tallies import MOST_NAMES
from kafkasniff.protocol.api_keys import (
    API_VERSIONS,
    CONSUMER_GROUP_HEARTBEAT,
    CREATE_TOPICS,
    DESCRIBE_CLUSTER,
    FETCH,
    JOIN_GROUP,
    METADATA,
    OFFSET_FETCH,
    PRODUCE,
)
from kafkasniff.tcp.events import Connection

_MOST_TOPICS = 100_000
_MOST_PARTITIONS = 50_000
_MOST_BROKERS = 10_000
_MOST_VERSION_SETS = 64
"""Brokers of one release tell the same, so that it is kept once."""

_KAFKA_4_FETCH, _KAFKA_4_PRODUCE = 4, 3
"""Lowest versions that Kafka 4 has (KIP-896); it offers Produce 0 as well, which librdkafka looks for (KAFKA-18659)."""

_MOST_APIS = 256
"""APIs of a broker; Kafka has 94."""

TELLING = frozenset({METADATA, API_VERSIONS, CREATE_TOPICS, DESCRIBE_CLUSTER})
"""APIs of the calls whose answers tell of brokers and topics, or whose requests tell of clients."""

THROTTLE_FIELDS = frozenset({"throttleTimeMs"})
"""Fields of answers that say that the client is over a quota."""

NAMING_GROUPS = frozenset({JOIN_GROUP, OFFSET_FETCH, CONSUMER_GROUP_HEARTBEAT})
"""APIs of the calls by which a client says which group is its own."""
GROUP_FIELDS = frozenset({"groups", "groupId", "memberId", "groupInstanceId", "instanceId"})
"""Fields of such calls that name it, and the client as its member."""


class Broker(NamedTuple):
    """What Metadata says of a broker."""

    node_id: int
    rack: str | None


_SEVERAL = Broker(-1, None)
"""In place of a broker whose name others at the same port have."""


class Facts:
    """What has been learnt so far, bounded."""

    __slots__ = (
        "_brokers",
        "_erred",
        "_groups",
        "_histories",
        "_known",
        "_named",
        "_racks",
        "_replicas",
        "_servers",
        "_topics",
        "_version_sets",
        "_versions",
        "profiles",
        "repeats",
    )

    REBUILT = ("_known", "repeats")

    def __init__(self) -> None:
        """Know nothing."""
        self.profiles = Profiles()
        """Who clients are."""
        self._histories: Bounded[ConnectionHistory] = Bounded(MOST_CONNECTIONS)
        self._servers: Bounded[bool] = Bounded(_MOST_BROKERS)
        self._versions: Bounded[dict[int, tuple[int, int]]] = Bounded(_MOST_BROKERS)
        self._version_sets: Bounded[dict[int, tuple[int, int]]] = Bounded(_MOST_VERSION_SETS)
        self._named: Bounded[Broker | None] = Bounded(_MOST_BROKERS)
        self._groups: Bounded[dict[str, None]] = Bounded()
        self._topics: Bounded[str] = Bounded(_MOST_TOPICS)
        self._brokers: Bounded[Broker] = Bounded(_MOST_BROKERS)
        self._racks: Bounded[str | None] = Bounded(_MOST_BROKERS)
        self._replicas: Bounded[list[int]] = Bounded(_MOST_PARTITIONS)
        self._erred: Bounded[set[int]] = Bounded()
        self.rebuild()

    def rebuild(self) -> None:
        """Begin without what is found out anew."""
        self.repeats: Call | None = None
        """The latest call that sends again what lies behind what its broker has accepted."""
        self._known = object()
        """Another one whenever something new is learnt: an answer that was learnt since tells nothing new."""

    def history(self, call: Call) -> ConnectionHistory:
        """Give what is known of a call's connection, to be asked for each call whose request was captured."""
        header = call.header
        assert header is not None
        history = self._histories.get(call.connection)
        if history is None:
            history = ConnectionHistory(call)
            history.erred = self._erred.get(history.client)
            self._histories.put(call.connection, history)
            if call.response is not None:
                self._servers.put(call.server, True)
        elif history.client_id != header.client_id and history.client_id != (client_id := client_id_of(call)):
            # A proxy that shares a connection between programs, or a client that names itself late.
            history.client_id, history.client = client_id, client_of(call)
            history.named = False
        return history

    def learn(self, call: Call) -> None:
        """Take in what a call of one of `TELLING` tells."""
        if call.api_key == METADATA:
            self._learn_metadata(call)
            return
        if call.api_key == API_VERSIONS:
            self.profiles.learn_software(client_of(call), call)
            self._learn_versions(call)
        elif call.api_key == CREATE_TOPICS:
            self._learn_topics(response_of(call))
        elif call.api_key == DESCRIBE_CLUSTER:
            self._learn_brokers(response_of(call))

    def learn_group(self, client: Client, request: dict[str, Any]) -> None:
        """Take in which groups a client's JoinGroup, OffsetFetch or ConsumerGroupHeartbeat names."""
        for item in request.get("groups") or (request,):
            group = item.get("groupId")
            if group:
                groups = self._groups.touch(client, dict)
                if len(groups) < 2:
                    groups[group] = None
                if request.get("memberId"):
                    instance_id = request.get("groupInstanceId") or request.get("instanceId")
                    self.profiles.learn_member(client, group, request["memberId"], instance_id)

    def note_error(self, history: ConnectionHistory, call: Call) -> None:
        """Note that a call was answered with an error that no rule takes."""
        history.erred = self._erred.touch(history.client, set)
        history.erred.add(call.api_key or 0)

    def forget(self, report: ConnectionReport) -> None:
        """Let go of what concerns a connection that has ended."""
        self._histories.pop(report.connection)

    def client(self, connection: Connection) -> Client | None:
        """Give the program behind a connection, None while no request of it was seen."""
        history = self._histories.get(connection)
        return history.client if history is not None else None

    def history_of(self, connection: Connection) -> ConnectionHistory | None:
        """Give what is known of a connection, None while no request of it was seen."""
        return self._histories.get(connection)

    def group(self, client: Client) -> str | None:
        """Give the consumer group of a client, None where none or more than one was seen."""
        groups = self._groups.get(client) or {}
        return next(iter(groups)) if len(groups) == 1 else None

    def name_in(self, item: dict[str, Any]) -> str | None:
        """Give the topic that an element of a message is about, by name or by id."""
        name = item.get("name") or item.get("topic") or item.get("topicName")
        if name:
            return name if len(name) <= LONGEST else short_name(name)
        topic_id = item.get("topicId")
        return self.topic_called(topic_id) if topic_id else None

    def topic_called(self, topic_id: str) -> str | None:
        """Give the name of the topic with an id, as far as known."""
        return self._topics.get(topic_id)

    def broker(self, server: str) -> Broker | None:
        """Give the broker that Metadata places at `ip:port`."""
        return self._brokers.get(server)

    def is_kafka(self, server: str) -> bool:
        """Tell whether a server has answered Kafka requests, or Metadata names it."""
        return self._servers.get(server) is not None or self.broker(server) is not None

    def broker_by_name(self, server: str) -> Broker | None:
        """Give the broker that Metadata places at a name, not an address, with the port of `ip:port`.

        None where there are several, of which any may be meant.
        """
        found = self._named.get(server.rpartition(":")[2])
        return None if found == _SEVERAL else found

    def supports(self, server: str, api_key: int, version: int) -> bool | None:
        """Tell whether a server said in ApiVersions that it has a version; None when it said nothing."""
        told = self._versions.get(server)
        if told is None:
            return None
        if api_key == API_VERSIONS:
            return True  # In any version: what it does not have is answered in version 0 (KIP-511).
        lowest, highest = told.get(api_key, (0, -1))
        if api_key == PRODUCE and told.get(FETCH, (0, 0))[0] >= _KAFKA_4_FETCH:
            lowest = max(lowest, _KAFKA_4_PRODUCE)
        return lowest <= version <= highest

    def newest(self, server: str, api_key: int) -> int | None:
        """Give the highest version of an API that a server said in ApiVersions to have; None when it said nothing."""
        told = self._versions.get(server)
        return told.get(api_key, (0, -1))[1] if told is not None else None

    def replica_racks(self, topic: str, partition: int) -> set[str | None]:
        """Give the racks of a partition's replicas, as far as known."""
        return {self._racks.get(node) for node in self._replicas.get((topic, partition)) or ()}

    def racks(self) -> list[str]:
        """Give the racks of all known brokers."""
        return sorted({rack for _, rack in self._racks.items() if rack is not None})[:MOST_NAMES]

    def _learn_metadata(self, call: Call) -> None:
        answer = metadata_answer(call)
        body = answer.body
        if not body or self._known in answer.learnt:
            return
        racks = self._learn_brokers(body)
        for topic in body["topics"]:
            self._learn_topic(topic)
        if racks:
            for topic in body["topics"]:
                if topic["name"]:
                    for partition in topic["partitions"]:
                        key = short_name(topic["name"]), partition["partitionIndex"]
                        self._note(self._replicas, key, partition["replicaNodes"][:MOST_NAMES])
        answer.learnt = self._known, answer.learnt[0]

    def _note(self, known: Bounded[Any], key: Hashable, value: Any) -> None:
        """Take in something that Metadata tells; where it is new, an answer that was known may say otherwise."""
        if known.used(key) != value:
            known.put(key, value)
            self._known = object()

    def _learn_versions(self, call: Call) -> None:
        if self._versions.get(call.server) is None:
            keys = response_of(call).get("apiKeys") or ()
            told = {item["apiKey"]: (item["minVersion"], item["maxVersion"]) for item in keys[:_MOST_APIS]}
            if len(told) > 1:  # A refused ApiVersions tells of nothing but itself.
                known = frozenset(told.items())
                self._versions.put(call.server, self._version_sets.touch(known, lambda: told))

    def _learn_brokers(self, body: dict[str, Any]) -> bool:
        racks = False
        for item in body.get("brokers", ()):
            rack = item.get("rack")
            broker = Broker(
                item["nodeId"] if "nodeId" in item else item["brokerId"], rack if rack is None else short_name(rack)
            )
            racks |= broker.rack is not None
            self._note(self._racks, broker.node_id, broker.rack)
            host = short_name(item["host"])
            if host != "localhost" and ":" not in host and not host.replace(".", "").isdigit():
                port = str(item["port"])
                known = self._named.get(port)
                self._note(self._named, port, broker if known in (None, broker) else _SEVERAL)
            for address in ("127.0.0.1", "[::1]") if host == "localhost" else (f"[{host}]" if ":" in host else host,):
                self._note(self._brokers, f"{address}:{item['port']}", broker)
        return racks

    def _learn_topics(self, body: dict[str, Any]) -> None:
        for topic in body.get("topics", ()):
            self._learn_topic(topic)

    def _learn_topic(self, topic: dict[str, Any]) -> None:
        name, topic_id = topic.get("name"), topic.get("topicId")
        if name and topic_id and not topic.get("errorCode"):
            self._note(self._topics, topic_id, short_name(name))
