"""DescribeQuorum (API key 55), versions 0-2.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "DescribeQuorumRequest",
    versions="0-2",
    flexible="0+",
    fields=(
        Field(
            "topics",
            "[]TopicData",
            "0+",
            fields=(
                Field("topicName", "string", "0+", entity="topicName"),
                Field("partitions", "[]PartitionData", "0+", fields=(Field("partitionIndex", "int32", "0+"),)),
            ),
        ),
    ),
)

RESPONSE = Message(
    "DescribeQuorumResponse",
    versions="0-2",
    flexible="0+",
    fields=(
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "2+", nullable="2+"),
        Field(
            "topics",
            "[]TopicData",
            "0+",
            fields=(
                Field("topicName", "string", "0+", entity="topicName"),
                Field(
                    "partitions",
                    "[]PartitionData",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+"),
                        Field("errorCode", "int16", "0+"),
                        Field("errorMessage", "string", "2+", nullable="2+"),
                        Field("leaderId", "int32", "0+", entity="brokerId"),
                        Field("leaderEpoch", "int32", "0+"),
                        Field("highWatermark", "int64", "0+"),
                        Field(
                            "currentVoters",
                            "[]ReplicaState",
                            "0+",
                            fields=(
                                Field("replicaId", "int32", "0+", entity="brokerId"),
                                Field("replicaDirectoryId", "uuid", "2+"),
                                Field("logEndOffset", "int64", "0+"),
                                Field("lastFetchTimestamp", "int64", "1+", default=-1),
                                Field("lastCaughtUpTimestamp", "int64", "1+", default=-1),
                            ),
                        ),
                        Field(
                            "observers",
                            "[]ReplicaState",
                            "0+",
                            fields=(
                                Field("replicaId", "int32", "0+", entity="brokerId"),
                                Field("replicaDirectoryId", "uuid", "2+"),
                                Field("logEndOffset", "int64", "0+"),
                                Field("lastFetchTimestamp", "int64", "1+", default=-1),
                                Field("lastCaughtUpTimestamp", "int64", "1+", default=-1),
                            ),
                        ),
                    ),
                ),
            ),
        ),
        Field(
            "nodes",
            "[]Node",
            "2+",
            fields=(
                Field("nodeId", "int32", "2+", map_key=True, entity="brokerId"),
                Field(
                    "listeners",
                    "[]Listener",
                    "2+",
                    fields=(
                        Field("name", "string", "2+", map_key=True),
                        Field("host", "string", "2+"),
                        Field("port", "uint16", "2+"),
                    ),
                ),
            ),
        ),
    ),
)
