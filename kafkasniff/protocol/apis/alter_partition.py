"""AlterPartition (API key 56), versions 0-3.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "AlterPartitionRequest",
    versions="0-3",
    flexible="0+",
    fields=(
        Field("brokerId", "int32", "0+", entity="brokerId"),
        Field("brokerEpoch", "int64", "0+", default=-1),
        Field(
            "topics",
            "[]TopicData",
            "0+",
            fields=(
                Field("topicName", "string", "0-1", entity="topicName"),
                Field("topicId", "uuid", "2+"),
                Field(
                    "partitions",
                    "[]PartitionData",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+"),
                        Field("leaderEpoch", "int32", "0+"),
                        Field("newIsr", "[]int32", "0-2", entity="brokerId"),
                        Field(
                            "newIsrWithEpochs",
                            "[]BrokerState",
                            "3+",
                            fields=(
                                Field("brokerId", "int32", "3+", entity="brokerId"),
                                Field("brokerEpoch", "int64", "3+", default=-1),
                            ),
                        ),
                        Field("leaderRecoveryState", "int8", "1+", default=0),
                        Field("partitionEpoch", "int32", "0+"),
                    ),
                ),
            ),
        ),
    ),
)

RESPONSE = Message(
    "AlterPartitionResponse",
    versions="0-3",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field(
            "topics",
            "[]TopicData",
            "0+",
            fields=(
                Field("topicName", "string", "0-1", entity="topicName"),
                Field("topicId", "uuid", "2+"),
                Field(
                    "partitions",
                    "[]PartitionData",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+"),
                        Field("errorCode", "int16", "0+"),
                        Field("leaderId", "int32", "0+", entity="brokerId"),
                        Field("leaderEpoch", "int32", "0+"),
                        Field("isr", "[]int32", "0+", entity="brokerId"),
                        Field("leaderRecoveryState", "int8", "1+", default=0),
                        Field("partitionEpoch", "int32", "0+"),
                    ),
                ),
            ),
        ),
    ),
)
