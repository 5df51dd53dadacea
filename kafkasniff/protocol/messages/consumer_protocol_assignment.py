"""ConsumerProtocolAssignment, versions 0-3.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ConsumerProtocolAssignment",
    versions="0-3",
    flexible="none",
    fields=(
        Field(
            "assignedPartitions",
            "[]TopicPartition",
            "0+",
            fields=(
                Field("topic", "string", "0+", map_key=True, entity="topicName"),
                Field("partitions", "[]int32", "0+"),
            ),
        ),
        Field("userData", "bytes", "0+", nullable="0+", default=None),
    ),
)
