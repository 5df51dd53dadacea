"""RemoteLogSegmentMetadataUpdateRecord in __remote_log_metadata, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "RemoteLogSegmentMetadataUpdateRecord",
    versions="0",
    flexible="0+",
    fields=(
        Field(
            "remoteLogSegmentId",
            "RemoteLogSegmentIdEntry",
            "0+",
            fields=(
                Field(
                    "topicIdPartition",
                    "TopicIdPartitionEntry",
                    "0+",
                    fields=(
                        Field("name", "string", "0+"),
                        Field("id", "uuid", "0+"),
                        Field("partition", "int32", "0+"),
                    ),
                ),
                Field("id", "uuid", "0+"),
            ),
        ),
        Field("brokerId", "int32", "0+"),
        Field("eventTimestampMs", "int64", "0+"),
        Field("customMetadata", "bytes", "0+", nullable="0+", default=None),
        Field("remoteLogSegmentState", "int8", "0+"),
    ),
)
