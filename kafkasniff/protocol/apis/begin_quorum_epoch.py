"""BeginQuorumEpoch (API key 53), versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "BeginQuorumEpochRequest",
    versions="0-1",
    flexible="1+",
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
                        Field("voterDirectoryId", "uuid", "1+"),
                        Field("leaderId", "int32", "0+", entity="brokerId"),
                        Field("leaderEpoch", "int32", "0+"),
                    ),
                ),
            ),
        ),
        Field(
            "leaderEndpoints",
            "[]LeaderEndpoint",
            "1+",
            fields=(
                Field("name", "string", "1+", map_key=True),
                Field("host", "string", "1+"),
                Field("port", "uint16", "1+"),
            ),
        ),
    ),
)

RESPONSE = Message(
    "BeginQuorumEpochResponse",
    versions="0-1",
    flexible="1+",
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
