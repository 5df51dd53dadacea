"""FetchSnapshot (API key 59), versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "FetchSnapshotRequest",
    versions="0-1",
    flexible="0+",
    fields=(
        Field("clusterId", "string", "0+", nullable="0+", tagged="0+", tag=0, default=None),
        Field("replicaId", "int32", "0+", default=-1, entity="brokerId"),
        Field("maxBytes", "int32", "0+", default=2147483647),
        Field(
            "topics",
            "[]TopicSnapshot",
            "0+",
            fields=(
                Field("name", "string", "0+", entity="topicName"),
                Field(
                    "partitions",
                    "[]PartitionSnapshot",
                    "0+",
                    fields=(
                        Field("partition", "int32", "0+"),
                        Field("currentLeaderEpoch", "int32", "0+"),
                        Field(
                            "snapshotId",
                            "SnapshotId",
                            "0+",
                            fields=(
                                Field("endOffset", "int64", "0+"),
                                Field("epoch", "int32", "0+"),
                            ),
                        ),
                        Field("position", "int64", "0+"),
                        Field("replicaDirectoryId", "uuid", "1+", tagged="1+", tag=0),
                    ),
                ),
            ),
        ),
    ),
)

RESPONSE = Message(
    "FetchSnapshotResponse",
    versions="0-1",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field(
            "topics",
            "[]TopicSnapshot",
            "0+",
            fields=(
                Field("name", "string", "0+", entity="topicName"),
                Field(
                    "partitions",
                    "[]PartitionSnapshot",
                    "0+",
                    fields=(
                        Field("index", "int32", "0+"),
                        Field("errorCode", "int16", "0+"),
                        Field(
                            "snapshotId",
                            "SnapshotId",
                            "0+",
                            fields=(
                                Field("endOffset", "int64", "0+"),
                                Field("epoch", "int32", "0+"),
                            ),
                        ),
                        Field(
                            "currentLeader",
                            "LeaderIdAndEpoch",
                            "0+",
                            tagged="0+",
                            tag=0,
                            fields=(
                                Field("leaderId", "int32", "0+", entity="brokerId"),
                                Field("leaderEpoch", "int32", "0+"),
                            ),
                        ),
                        Field("size", "int64", "0+"),
                        Field("position", "int64", "0+"),
                        Field("unalignedRecords", "records", "0+"),
                    ),
                ),
            ),
        ),
        Field(
            "nodeEndpoints",
            "[]NodeEndpoint",
            "1+",
            tagged="1+",
            tag=0,
            fields=(
                Field("nodeId", "int32", "1+", map_key=True, entity="brokerId"),
                Field("host", "string", "1+"),
                Field("port", "uint16", "1+"),
            ),
        ),
    ),
)
