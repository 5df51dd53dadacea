"""Which topic and which partition a path in a body leads through."""

from typing import Any, NamedTuple

from kafkasniff.calls.enrichment.topics import KnownNames

TOPIC_ARRAYS = frozenset(
    {
        "repartitionSourceTopics",
        "responses",
        "results",
        "resultsByTopicV3AndBelow",
        "stateChangelogTopics",
        "topicData",
        "topicResults",
        "topics",
        "v3AndBelowTopics",
    }
)
"""Arrays whose elements' `name` is a topic's, in Kafka's definitions (`entityType`)."""

PARTITION_FIELDS = ("partitionIndex", "partition", "index")
_TOPIC_FIELDS = ("topic", "topicName")

TOPIC_PARTITION_FIELDS = frozenset({*PARTITION_FIELDS, *_TOPIC_FIELDS, "name", "topicId"})
"""Names of the fields that say where a path leads, beside the arrays in it."""


class TopicPartition(NamedTuple):
    """What a path leads through."""

    topic: str | None
    partition: int | None


def topic_partition_of(body: dict[str, Any], path: str, names: KnownNames) -> TopicPartition:
    """Give topic and partition of a path such as `responses[0].partitions[2].errorCode` in a decoded body."""
    topic: str | None = None
    partition: int | None = None
    struct: Any = body
    within = False
    for step in path.split("."):
        array, bracket, index = step.partition("[")
        if not bracket:
            break
        try:
            struct = struct[array][int(index.partition("]")[0])]
        except (KeyError, IndexError, TypeError):
            # A body that did not decode whole may end above the field.
            break
        if isinstance(struct, int):
            partition = struct if array == "partitions" else partition
        elif isinstance(struct, dict):
            topic = topic or topic_in(struct, array, names)
            within = within or topic is not None or "topicId" in struct
            if partition is None and within:
                partition = next((struct[field] for field in PARTITION_FIELDS if type(struct.get(field)) is int), None)
    return TopicPartition(topic, partition)


def topic_in(struct: dict[str, Any], array: str, names: KnownNames) -> str | None:
    """Give the topic that an element of an array called so names itself."""
    if isinstance(topic_id := struct.get("topicId"), str) and (known := names.get(topic_id)) is not None:
        return known
    for field in _TOPIC_FIELDS + (("name",) if array in TOPIC_ARRAYS else ()):
        if isinstance(name := struct.get(field), str) and name:
            return name
    return None
