"""ShareAcknowledge (API key 79), versions 0-2.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "ShareAcknowledgeRequest",
    versions="0-2",
    flexible="0+",
    fields=(
        Field("groupId", "string", "0+", nullable="0+", default=None, entity="groupId"),
        Field("memberId", "string", "0+", nullable="0+"),
        Field("shareSessionEpoch", "int32", "0+"),
        Field("isRenewAck", "bool", "2+", default=False),
        Field(
            "topics",
            "[]AcknowledgeTopic",
            "0+",
            fields=(
                Field("topicId", "uuid", "0+", map_key=True),
                Field(
                    "partitions",
                    "[]AcknowledgePartition",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+", map_key=True),
                        Field(
                            "acknowledgementBatches",
                            "[]AcknowledgementBatch",
                            "0+",
                            fields=(
                                Field("firstOffset", "int64", "0+"),
                                Field("lastOffset", "int64", "0+"),
                                Field("acknowledgeTypes", "[]int8", "0+"),
                            ),
                        ),
                    ),
                ),
            ),
        ),
    ),
)

RESPONSE = Message(
    "ShareAcknowledgeResponse",
    versions="0-2",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "0+", nullable="0+", default=None),
        Field("acquisitionLockTimeoutMs", "int32", "2+"),
        Field(
            "responses",
            "[]ShareAcknowledgeTopicResponse",
            "0+",
            fields=(
                Field("topicId", "uuid", "0+", map_key=True),
                Field(
                    "partitions",
                    "[]PartitionData",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+"),
                        Field("errorCode", "int16", "0+"),
                        Field("errorMessage", "string", "0+", nullable="0+", default=None),
                        Field(
                            "currentLeader",
                            "LeaderIdAndEpoch",
                            "0+",
                            fields=(
                                Field("leaderId", "int32", "0+"),
                                Field("leaderEpoch", "int32", "0+"),
                            ),
                        ),
                    ),
                ),
            ),
        ),
        Field(
            "nodeEndpoints",
            "[]NodeEndpoint",
            "0+",
            fields=(
                Field("nodeId", "int32", "0+", map_key=True, entity="brokerId"),
                Field("host", "string", "0+"),
                Field("port", "int32", "0+"),
                Field("rack", "string", "0+", nullable="0+", default=None),
            ),
        ),
    ),
)
