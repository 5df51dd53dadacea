"""UpdateMetadata (API key 6), versions 0-8.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "UpdateMetadataRequest",
    versions="0-8",
    flexible="6+",
    fields=(
        Field("controllerId", "int32", "0+", entity="brokerId"),
        Field("isKRaftController", "bool", "8+", default=False),
        Field("type", "int8", "8+", tagged="8+", tag=0, default=0),
        Field("controllerEpoch", "int32", "0+"),
        Field(
            "ungroupedPartitionStates",
            "[]UpdateMetadataPartitionState",
            "0-4",
            fields=(
                Field("topicName", "string", "0-4", entity="topicName"),
                Field("partitionIndex", "int32", "0-4"),
                Field("controllerEpoch", "int32", "0-4"),
                Field("leader", "int32", "0-4", entity="brokerId"),
                Field("leaderEpoch", "int32", "0-4"),
                Field("isr", "[]int32", "0-4", entity="brokerId"),
                Field("zkVersion", "int32", "0-4"),
                Field("replicas", "[]int32", "0-4", entity="brokerId"),
                Field("offlineReplicas", "[]int32", "4", entity="brokerId"),
            ),
        ),
        Field("brokerEpoch", "int64", "5+", default=-1),
        Field(
            "topicStates",
            "[]UpdateMetadataTopicState",
            "5+",
            fields=(
                Field("topicName", "string", "5+", entity="topicName"),
                Field("topicId", "uuid", "7+"),
                Field(
                    "partitionStates",
                    "[]UpdateMetadataPartitionState",
                    "5+",
                    fields=(
                        Field("partitionIndex", "int32", "5+"),
                        Field("controllerEpoch", "int32", "5+"),
                        Field("leader", "int32", "5+", entity="brokerId"),
                        Field("leaderEpoch", "int32", "5+"),
                        Field("isr", "[]int32", "5+", entity="brokerId"),
                        Field("zkVersion", "int32", "5+"),
                        Field("replicas", "[]int32", "5+", entity="brokerId"),
                        Field("offlineReplicas", "[]int32", "5+", entity="brokerId"),
                    ),
                ),
            ),
        ),
        Field(
            "liveBrokers",
            "[]UpdateMetadataBroker",
            "0+",
            fields=(
                Field("id", "int32", "0+", entity="brokerId"),
                Field("v0Host", "string", "0"),
                Field("v0Port", "int32", "0"),
                Field(
                    "endpoints",
                    "[]UpdateMetadataEndpoint",
                    "1+",
                    fields=(
                        Field("port", "int32", "1+"),
                        Field("host", "string", "1+"),
                        Field("listener", "string", "3+"),
                        Field("securityProtocol", "int16", "1+"),
                    ),
                ),
                Field("rack", "string", "2+", nullable="2+"),
            ),
        ),
    ),
)

RESPONSE = Message("UpdateMetadataResponse", versions="0-8", flexible="6+", fields=(Field("errorCode", "int16", "0+"),))
