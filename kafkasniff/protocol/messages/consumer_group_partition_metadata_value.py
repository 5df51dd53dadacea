"""ConsumerGroupPartitionMetadataValue in __consumer_offsets, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ConsumerGroupPartitionMetadataValue",
    versions="0",
    flexible="0+",
    fields=(
        Field(
            "topics",
            "[]TopicMetadata",
            "0+",
            fields=(
                Field("topicId", "uuid", "0+"),
                Field("topicName", "string", "0+"),
                Field("numPartitions", "int32", "0+"),
                Field(
                    "partitionMetadata",
                    "[]PartitionMetadata",
                    "0+",
                    fields=(
                        Field("partition", "int32", "0+"),
                        Field("racks", "[]string", "0+"),
                    ),
                ),
            ),
        ),
    ),
)
