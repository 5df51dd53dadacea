"""AssignReplicasToDirs (API key 73), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "AssignReplicasToDirsRequest",
    versions="0",
    flexible="0+",
    fields=(
        Field("brokerId", "int32", "0+", entity="brokerId"),
        Field("brokerEpoch", "int64", "0+", default=-1),
        Field(
            "directories",
            "[]DirectoryData",
            "0+",
            fields=(
                Field("id", "uuid", "0+"),
                Field(
                    "topics",
                    "[]TopicData",
                    "0+",
                    fields=(
                        Field("topicId", "uuid", "0+"),
                        Field("partitions", "[]PartitionData", "0+", fields=(Field("partitionIndex", "int32", "0+"),)),
                    ),
                ),
            ),
        ),
    ),
)

RESPONSE = Message(
    "AssignReplicasToDirsResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field(
            "directories",
            "[]DirectoryData",
            "0+",
            fields=(
                Field("id", "uuid", "0+"),
                Field(
                    "topics",
                    "[]TopicData",
                    "0+",
                    fields=(
                        Field("topicId", "uuid", "0+"),
                        Field(
                            "partitions",
                            "[]PartitionData",
                            "0+",
                            fields=(
                                Field("partitionIndex", "int32", "0+"),
                                Field("errorCode", "int16", "0+"),
                            ),
                        ),
                    ),
                ),
            ),
        ),
    ),
)
