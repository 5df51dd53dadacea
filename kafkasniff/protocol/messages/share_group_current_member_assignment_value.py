"""ShareGroupCurrentMemberAssignmentValue in __consumer_offsets, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ShareGroupCurrentMemberAssignmentValue",
    versions="0",
    flexible="0+",
    fields=(
        Field("memberEpoch", "int32", "0+"),
        Field("previousMemberEpoch", "int32", "0+"),
        Field("state", "int8", "0+"),
        Field(
            "assignedPartitions",
            "[]TopicPartitions",
            "0+",
            fields=(
                Field("topicId", "uuid", "0+"),
                Field("partitions", "[]int32", "0+"),
            ),
        ),
    ),
)
