"""Vote (API key 52), versions 0-2.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "VoteRequest",
    versions="0-2",
    flexible="0+",
    fields=(
        Field("clusterId", "string", "0+", nullable="0+", default=None),
        Field("voterId", "int32", "1+", default=-1, entity="brokerId"),
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
                        Field("replicaEpoch", "int32", "0+"),
                        Field("replicaId", "int32", "0+", entity="brokerId"),
                        Field("replicaDirectoryId", "uuid", "1+"),
                        Field("voterDirectoryId", "uuid", "1+"),
                        Field("lastOffsetEpoch", "int32", "0+"),
                        Field("lastOffset", "int64", "0+"),
                        Field("preVote", "bool", "2+"),
                    ),
                ),
            ),
        ),
    ),
)

RESPONSE = Message(
    "VoteResponse",
    versions="0-2",
    flexible="0+",
    fields=(
        Field("errorCode", "int16", "0+"),
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
                        Field("leaderId", "int32", "0+", entity="brokerId"),
                        Field("leaderEpoch", "int32", "0+"),
                        Field("voteGranted", "bool", "0+"),
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
