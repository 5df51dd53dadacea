"""ShareGroupPartitionMetadataValue in __consumer_offsets, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ShareGroupPartitionMetadataValue",
    versions="0",
    flexible="0+",
    fields=(
        Field(
            "initializedTopics",
            "[]TopicPartitionsInfo",
            "0+",
            fields=(
                Field("topicId", "uuid", "0+"),
                Field("topicName", "string", "0+"),
                Field("partitions", "[]int32", "0+"),
            ),
        ),
        Field(
            "deletingTopics",
            "[]TopicInfo",
            "0+",
            fields=(
                Field("topicId", "uuid", "0+"),
                Field("topicName", "string", "0+"),
            ),
        ),
    ),
)
