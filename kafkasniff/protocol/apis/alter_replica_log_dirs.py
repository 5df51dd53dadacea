"""AlterReplicaLogDirs (API key 34), versions 0-2.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "AlterReplicaLogDirsRequest",
    versions="0-2",
    flexible="2+",
    fields=(
        Field(
            "dirs",
            "[]AlterReplicaLogDir",
            "0+",
            fields=(
                Field("path", "string", "0+", map_key=True),
                Field(
                    "topics",
                    "[]AlterReplicaLogDirTopic",
                    "0+",
                    fields=(
                        Field("name", "string", "0+", map_key=True, entity="topicName"),
                        Field("partitions", "[]int32", "0+"),
                    ),
                ),
            ),
        ),
    ),
)

RESPONSE = Message(
    "AlterReplicaLogDirsResponse",
    versions="0-2",
    flexible="2+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field(
            "results",
            "[]AlterReplicaLogDirTopicResult",
            "0+",
            fields=(
                Field("topicName", "string", "0+", entity="topicName"),
                Field(
                    "partitions",
                    "[]AlterReplicaLogDirPartitionResult",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+"),
                        Field("errorCode", "int16", "0+"),
                    ),
                ),
            ),
        ),
    ),
)
