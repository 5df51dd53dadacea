"""Metadata (API key 3), versions 0-13.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "MetadataRequest",
    versions="0-13",
    flexible="9+",
    fields=(
        Field(
            "topics",
            "[]MetadataRequestTopic",
            "0+",
            nullable="1+",
            fields=(
                Field("topicId", "uuid", "10+"),
                Field("name", "string", "0+", nullable="10+", entity="topicName"),
            ),
        ),
        Field("allowAutoTopicCreation", "bool", "4+", default=True),
        Field("includeClusterAuthorizedOperations", "bool", "8-10"),
        Field("includeTopicAuthorizedOperations", "bool", "8+"),
    ),
)

RESPONSE = Message(
    "MetadataResponse",
    versions="0-13",
    flexible="9+",
    fields=(
        Field("throttleTimeMs", "int32", "3+"),
        Field(
            "brokers",
            "[]MetadataResponseBroker",
            "0+",
            fields=(
                Field("nodeId", "int32", "0+", map_key=True, entity="brokerId"),
                Field("host", "string", "0+"),
                Field("port", "int32", "0+"),
                Field("rack", "string", "1+", nullable="1+", default=None),
            ),
        ),
        Field("clusterId", "string", "2+", nullable="2+", default=None),
        Field("controllerId", "int32", "1+", default=-1, entity="brokerId"),
        Field(
            "topics",
            "[]MetadataResponseTopic",
            "0+",
            fields=(
                Field("errorCode", "int16", "0+"),
                Field("name", "string", "0+", nullable="12+", map_key=True, entity="topicName"),
                Field("topicId", "uuid", "10+"),
                Field("isInternal", "bool", "1+", default=False),
                Field(
                    "partitions",
                    "[]MetadataResponsePartition",
                    "0+",
                    fields=(
                        Field("errorCode", "int16", "0+"),
                        Field("partitionIndex", "int32", "0+"),
                        Field("leaderId", "int32", "0+", entity="brokerId"),
                        Field("leaderEpoch", "int32", "7+", default=-1),
                        Field("replicaNodes", "[]int32", "0+", entity="brokerId"),
                        Field("isrNodes", "[]int32", "0+", entity="brokerId"),
                        Field("offlineReplicas", "[]int32", "5+", entity="brokerId"),
                    ),
                ),
                Field("topicAuthorizedOperations", "int32", "8+", default=-2147483648),
            ),
        ),
        Field("clusterAuthorizedOperations", "int32", "8-10", default=-2147483648),
        Field("errorCode", "int16", "13+"),
    ),
)
