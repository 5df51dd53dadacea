"""What calls tell that rules need of each other: who is behind a connection, names of topics, the brokers."""

from collections.abc import Callable
from typing import Any, NamedTuple

from kafkasniff.calls.call import Call, ConnectionReport
from kafkasniff.diagnose.memory import MOST_CONNECTIONS, Bounded
from kafkasniff.tcp.events import Connection

PRODUCE, FETCH, LIST_OFFSETS, METADATA = 0, 1, 2, 3
OFFSET_COMMIT, OFFSET_FETCH, FIND_COORDINATOR = 8, 9, 10
JOIN_GROUP, HEARTBEAT, LEAVE_GROUP, SYNC_GROUP = 11, 12, 13, 14
SASL_HANDSHAKE, API_VERSIONS, CREATE_TOPICS = 17, 18, 19
OFFSET_FOR_LEADER_EPOCH, ADD_PARTITIONS_TO_TXN, END_TXN = 23, 24, 26
TXN_OFFSET_COMMIT, SASL_AUTHENTICATE = 28, 36
DESCRIBE_CLUSTER, CONSUMER_GROUP_HEARTBEAT, SHARE_FETCH = 60, 68, 78

_MOST_TOPICS = 100_000
_MOST_PARTITIONS = 50_000
_MOST_BROKERS = 10_000


class Client(NamedTuple):
    """Whom calls of the same program have in common: its client id and host, or a connection without client id."""

    client_id: str | None
    host: str
    """IP address; `ip:port` where there is no client id."""

    @property
    def name(self) -> str:
        """Give the client as people call it."""
        return self.client_id if self.client_id else self.host


class Broker(NamedTuple):
    """What Metadata says of a broker."""

    node_id: int
    rack: str | None


def request_of(call: Call) -> dict[str, Any]:
    """Give the request's body; empty when it did not decode whole."""
    body = call.request_body
    return body.value if body is not None and body.value is not None else {}


def response_of(call: Call) -> dict[str, Any]:
    """Give the response's body; empty when there is none or it did not decode whole."""
    body = call.response_body
    return body.value if body is not None and body.value is not None else {}


def is_follower(call: Call) -> bool:
    """Tell whether a Fetch or the like is a broker's, which replicates, and no consumer's."""
    request = request_of(call)
    replica = request.get("replicaId", (request.get("replicaState") or {}).get("replicaId", -1))
    return bool(replica >= 0)


def host_of(endpoint: str) -> str:
    """Give the address of an `ip:port`."""
    return endpoint.rpartition(":")[0]


def client_of(call: Call) -> Client:
    """Give the program behind a call."""
    client_id = call.client_id
    return Client(client_id, host_of(call.client)) if client_id else Client(None, call.client)


class Facts:
    """What has been learnt so far, bounded."""

    def __init__(self) -> None:
        """Know nothing."""
        self.clients: Bounded[Client] = Bounded(MOST_CONNECTIONS)
        """The program behind each open connection."""
        self._groups: Bounded[dict[str, None]] = Bounded()
        self._topics: Bounded[str] = Bounded(_MOST_TOPICS)
        self._brokers: Bounded[Broker] = Bounded(_MOST_BROKERS)
        self._replicas: Bounded[list[int]] = Bounded(_MOST_PARTITIONS)

    def learn(self, call: Call) -> None:
        """Take in what a call tells."""
        key = call.api_key
        if key is not None and self.clients.get(call.connection) is None:
            self.clients.put(call.connection, client_of(call))
        if key in (JOIN_GROUP, OFFSET_FETCH):
            self._learn_group(call)
        learn = _LEARN.get(key) if key is not None else None
        if learn is not None:
            body = call.response_body
            if body is not None and body.value is not None:
                learn(self, body.value)

    def forget(self, report: ConnectionReport) -> None:
        """Let go of what concerns a connection that has ended."""
        self.clients.pop(report.connection)

    def client(self, connection: Connection) -> Client | None:
        """Give the program behind a connection, None while no request of it was seen."""
        return self.clients.get(connection)

    def group(self, client: Client) -> str | None:
        """Give the consumer group of a client, None where none or more than one was seen."""
        groups = self._groups.get(client) or {}
        return next(iter(groups)) if len(groups) == 1 else None

    def topic_name(self, topic_id: str) -> str | None:
        """Give the name of a topic id (as in Kafka's JSON), None where nothing told it."""
        return self._topics.get(topic_id)

    def name_in(self, item: dict[str, Any]) -> str | None:
        """Give the topic that an element of a message is about, by name or by id."""
        for field in ("name", "topic", "topicName"):
            if item.get(field):
                return str(item[field])
        topic_id = item.get("topicId")
        return self._topics.get(topic_id) if topic_id else None

    def broker(self, server: str) -> Broker | None:
        """Give the broker that Metadata places at `ip:port`."""
        return self._brokers.get(server)

    def replica_racks(self, topic: str, partition: int) -> set[str | None]:
        """Give the racks of a partition's replicas, as far as known."""
        replicas = self._replicas.get((topic, partition)) or []
        return {broker.rack for _, broker in self._brokers.items() if broker.node_id in replicas}

    def _learn_group(self, call: Call) -> None:
        request = request_of(call)
        for item in request.get("groups") or (request,):
            groups = self._groups.touch(client_of(call), dict)
            if item.get("groupId") and len(groups) < 2:
                groups[item["groupId"]] = None

    def _learn_metadata(self, body: dict[str, Any]) -> None:
        racks = self._learn_brokers(body)
        for topic in body["topics"]:
            self._learn_topic(topic)
            if racks and topic["name"]:
                for partition in topic["partitions"]:
                    self._replicas.put((topic["name"], partition["partitionIndex"]), partition["replicaNodes"])

    def _learn_brokers(self, body: dict[str, Any]) -> bool:
        racks = False
        for item in body["brokers"]:
            broker = Broker(item["nodeId"] if "nodeId" in item else item["brokerId"], item.get("rack"))
            racks |= broker.rack is not None
            host = item["host"]
            for address in ("127.0.0.1", "[::1]") if host == "localhost" else (f"[{host}]" if ":" in host else host,):
                self._brokers.put(f"{address}:{item['port']}", broker)
        return racks

    def _learn_topics(self, body: dict[str, Any]) -> None:
        for topic in body["topics"]:
            self._learn_topic(topic)

    def _learn_topic(self, topic: dict[str, Any]) -> None:
        name, topic_id = topic.get("name"), topic.get("topicId")
        if name and topic_id and not topic.get("errorCode"):
            self._topics.put(topic_id, name)


_LEARN: dict[int, Callable[[Facts, dict[str, Any]], object]] = {
    METADATA: Facts._learn_metadata,
    CREATE_TOPICS: Facts._learn_topics,
    DESCRIBE_CLUSTER: Facts._learn_brokers,
}
