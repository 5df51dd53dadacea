"""ConsumerProtocolSubscription, versions 0-3.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ConsumerProtocolSubscription",
    versions="0-3",
    flexible="none",
    fields=(
        Field("topics", "[]string", "0+"),
        Field("userData", "bytes", "0+", nullable="0+", default=None),
        Field(
            "ownedPartitions",
            "[]TopicPartition",
            "1+",
            fields=(
                Field("topic", "string", "1+", map_key=True, entity="topicName"),
                Field("partitions", "[]int32", "1+"),
            ),
        ),
        Field("generationId", "int32", "2+", default=-1),
        Field("rackId", "string", "3+", nullable="3+", default=None),
    ),
)
