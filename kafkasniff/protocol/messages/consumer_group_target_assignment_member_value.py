"""ConsumerGroupTargetAssignmentMemberValue in __consumer_offsets, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ConsumerGroupTargetAssignmentMemberValue",
    versions="0",
    flexible="0+",
    fields=(
        Field(
            "topicPartitions",
            "[]TopicPartition",
            "0+",
            fields=(
                Field("topicId", "uuid", "0+"),
                Field("partitions", "[]int32", "0+"),
            ),
        ),
    ),
)
