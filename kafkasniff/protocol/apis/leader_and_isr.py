"""LeaderAndIsr (API key 4), versions 0-7.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "LeaderAndIsrRequest",
    versions="0-7",
    flexible="4+",
    fields=(
        Field("controllerId", "int32", "0+", entity="brokerId"),
        Field("isKRaftController", "bool", "7+", default=False),
        Field("controllerEpoch", "int32", "0+"),
        Field(
            "ungroupedPartitionStates",
            "[]LeaderAndIsrPartitionState",
            "0-1",
            fields=(
                Field("topicName", "string", "0-1", entity="topicName"),
                Field("partitionIndex", "int32", "0-1"),
                Field("controllerEpoch", "int32", "0-1"),
                Field("leader", "int32", "0-1", entity="brokerId"),
                Field("leaderEpoch", "int32", "0-1"),
                Field("isr", "[]int32", "0-1", entity="brokerId"),
                Field("partitionEpoch", "int32", "0-1"),
                Field("replicas", "[]int32", "0-1", entity="brokerId"),
                Field("isNew", "bool", "1", default=False),
            ),
        ),
        Field("brokerEpoch", "int64", "2+", default=-1),
        Field("type", "int8", "5+"),
        Field(
            "topicStates",
            "[]LeaderAndIsrTopicState",
            "2+",
            fields=(
                Field("topicName", "string", "2+", entity="topicName"),
                Field("topicId", "uuid", "5+"),
                Field(
                    "partitionStates",
                    "[]LeaderAndIsrPartitionState",
                    "2+",
                    fields=(
                        Field("partitionIndex", "int32", "2+"),
                        Field("controllerEpoch", "int32", "2+"),
                        Field("leader", "int32", "2+", entity="brokerId"),
                        Field("leaderEpoch", "int32", "2+"),
                        Field("isr", "[]int32", "2+", entity="brokerId"),
                        Field("partitionEpoch", "int32", "2+"),
                        Field("replicas", "[]int32", "2+", entity="brokerId"),
                        Field("addingReplicas", "[]int32", "3+", entity="brokerId"),
                        Field("removingReplicas", "[]int32", "3+", entity="brokerId"),
                        Field("isNew", "bool", "2+", default=False),
                        Field("leaderRecoveryState", "int8", "6+", default=0),
                    ),
                ),
            ),
        ),
        Field(
            "liveLeaders",
            "[]LeaderAndIsrLiveLeader",
            "0+",
            fields=(
                Field("brokerId", "int32", "0+", entity="brokerId"),
                Field("hostName", "string", "0+"),
                Field("port", "int32", "0+"),
            ),
        ),
    ),
)

RESPONSE = Message(
    "LeaderAndIsrResponse",
    versions="0-7",
    flexible="4+",
    fields=(
        Field("errorCode", "int16", "0+"),
        Field(
            "partitionErrors",
            "[]LeaderAndIsrPartitionError",
            "0-4",
            fields=(
                Field("topicName", "string", "0-4", entity="topicName"),
                Field("partitionIndex", "int32", "0-4"),
                Field("errorCode", "int16", "0-4"),
            ),
        ),
        Field(
            "topics",
            "[]LeaderAndIsrTopicError",
            "5+",
            fields=(
                Field("topicId", "uuid", "5+", map_key=True),
                Field(
                    "partitionErrors",
                    "[]LeaderAndIsrPartitionError",
                    "5+",
                    fields=(
                        Field("partitionIndex", "int32", "5+"),
                        Field("errorCode", "int16", "5+"),
                    ),
                ),
            ),
        ),
    ),
)
