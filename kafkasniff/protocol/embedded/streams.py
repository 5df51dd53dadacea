"""The user data of Kafka Streams' assignor: SubscriptionInfo and AssignmentInfo, versions 1 to 11."""

from typing import Any, Final

from kafkasniff.protocol.bodies import DecodedBody, decode_defined
from kafkasniff.protocol.embedded.entries import Embedded, Opened
from kafkasniff.protocol.fields import Field, Message
from kafkasniff.protocol.primitives import base64_text

ASSIGNOR: Final = "stream"
"""The name of StreamsPartitionAssignor as a group protocol."""

_TASK_ID = (Field("topicGroupId", "int32", "1+"), Field("partition", "int32", "1+"))

SUBSCRIPTION_INFO: Final = Message(
    "SubscriptionInfoData",
    versions="1-11",
    flexible="none",
    fields=(
        Field("version", "int32", "1+"),
        Field("latestSupportedVersion", "int32", "3+"),
        Field("processId", "uuid", "1+"),
        Field("prevTasks", "[]TaskId", "1-6", fields=_TASK_ID),
        Field("standbyTasks", "[]TaskId", "1-6", fields=_TASK_ID),
        Field("userEndPoint", "bytes", "2+"),
        Field(
            "taskOffsetSums",
            "[]TaskOffsetSum",
            "7+",
            fields=(
                Field("topicGroupId", "int32", "7+"),
                Field("partition", "int32", "10+"),
                Field("offsetSum", "int64", "10+"),
                Field("namedTopology", "string", "10+", nullable="10+"),
                Field(
                    "partitionToOffsetSum",
                    "[]PartitionToOffsetSum",
                    "7-9",
                    fields=(Field("partition", "int32", "7-9"), Field("offsetSum", "int64", "7-9")),
                ),
            ),
        ),
        Field("uniqueField", "int8", "8+"),
        Field("errorCode", "int32", "9+"),
        Field(
            "clientTags",
            "[]ClientTag",
            "11+",
            fields=(Field("key", "bytes", "11+"), Field("value", "bytes", "11+")),
        ),
    ),
)
"""Kafka's SubscriptionInfoData.json."""

# AssignmentInfo.java writes UTF-16 code units behind an int32 count of them.
_ASSIGNED_TASK_ID = (*_TASK_ID, Field("namedTopology", "[]uint16", "10+"))
_TOPIC_PARTITION = (Field("topic", "string", "1+"), Field("partition", "int32", "1+"))
_HOST_PARTITIONS = (
    Field("host", "string", "2+"),
    Field("port", "int32", "2+"),
    Field("partitions", "[]TopicPartition", "2-4", fields=_TOPIC_PARTITION),
    Field(
        "partitions",
        "[]TopicPartition",
        "5+",
        fields=(Field("topicIndex", "int32", "5+"), Field("partition", "int32", "5+")),
    ),
)

ASSIGNMENT_INFO: Final = Message(
    "AssignmentInfo",
    versions="1-11",
    flexible="none",
    fields=(
        Field("usedVersion", "int32", "1+"),
        Field("commonlySupportedVersion", "int32", "3+"),
        Field("activeTasks", "[]TaskId", "1+", fields=_ASSIGNED_TASK_ID),
        Field(
            "standbyTasks",
            "[]StandbyTask",
            "1+",
            fields=(*_ASSIGNED_TASK_ID, Field("partitions", "[]TopicPartition", "1+", fields=_TOPIC_PARTITION)),
        ),
        Field(
            "topicNames",
            "[]TopicName",
            "5+",
            fields=(Field("index", "int32", "5+"), Field("topic", "string", "5+")),
        ),
        Field("partitionsByHost", "[]HostPartitions", "2+", fields=_HOST_PARTITIONS),
        Field("standbyPartitionsByHost", "[]HostPartitions", "6+", fields=_HOST_PARTITIONS),
        Field("errCode", "int32", "4+"),
        Field("nextRebalanceMs", "int64", "7+"),
    ),
)
"""What AssignmentInfo.java writes, under the names of its fields."""

_VERSION_BYTES = 4
_LAST_VERSION = 11


def open_subscription_info(into: Opened, path: str, data: bytes) -> None:
    """Open what an instance of an application tells the leader."""
    _open(into, path, SUBSCRIPTION_INFO, data)


def open_assignment_info(into: Opened, path: str, data: bytes) -> None:
    """Open what the leader gives an instance of an application."""
    body = _open(into, path, ASSIGNMENT_INFO, data)
    if body is not None:
        for tree in (body.value, body.partial):
            if tree is not None:
                _name_topologies(tree)
        if body.value is not None:
            _name_topics(body.value)


def _open(into: Opened, path: str, definition: Message, data: bytes) -> DecodedBody | None:
    version = int.from_bytes(data[:_VERSION_BYTES], signed=True) if len(data) >= _VERSION_BYTES else None
    if version is None or not 1 <= version <= _LAST_VERSION:
        # Shown as bytes, as there is nothing wrong with a version to come.
        into.embedded.append(Embedded(path, definition.name, version, {"bytes": base64_text(data)}))
        return None
    body = decode_defined(definition, version, data)
    into.add(path, definition.name, version, body)
    return body


def _name_topologies(tree: dict[str, Any]) -> None:
    for task in [*tree.get("activeTasks", ()), *tree.get("standbyTasks", ())]:
        units = task.get("namedTopology")
        if units is not None:
            raw = b"".join(unit.to_bytes(2) for unit in units)
            task["namedTopology"] = raw.decode("utf-16-be", "replace") or None


def _name_topics(tree: dict[str, Any]) -> None:
    """Put the names of topics in place of their numbers in the dictionary, and leave that out."""
    names = {entry["index"]: entry["topic"] for entry in tree.pop("topicNames", ())}
    for host in [*tree.get("partitionsByHost", ()), *tree.get("standbyPartitionsByHost", ())]:
        for partition in host["partitions"]:
            if "topicIndex" in partition and partition["topicIndex"] in names:
                index = partition.pop("topicIndex")
                number = partition.pop("partition")
                partition.update(topic=names[index], partition=number)
