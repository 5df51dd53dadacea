"""ShareFetch (API key 78), versions 0-2.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "ShareFetchRequest",
    versions="0-2",
    flexible="0+",
    fields=(
        Field("groupId", "string", "0+", nullable="0+", default=None, entity="groupId"),
        Field("memberId", "string", "0+", nullable="0+"),
        Field("shareSessionEpoch", "int32", "0+"),
        Field("maxWaitMs", "int32", "0+"),
        Field("minBytes", "int32", "0+"),
        Field("maxBytes", "int32", "0+", default=2147483647),
        Field("maxRecords", "int32", "1+"),
        Field("batchSize", "int32", "1+"),
        Field("shareAcquireMode", "int8", "2+", default=0),
        Field("isRenewAck", "bool", "2+", default=False),
        Field(
            "topics",
            "[]FetchTopic",
            "0+",
            fields=(
                Field("topicId", "uuid", "0+", map_key=True),
                Field(
                    "partitions",
                    "[]FetchPartition",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+", map_key=True),
                        Field("partitionMaxBytes", "int32", "0"),
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
        Field(
            "forgottenTopicsData",
            "[]ForgottenTopic",
            "0+",
            fields=(
                Field("topicId", "uuid", "0+"),
                Field("partitions", "[]int32", "0+"),
            ),
        ),
    ),
)

RESPONSE = Message(
    "ShareFetchResponse",
    versions="0-2",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "0+", nullable="0+", default=None),
        Field("acquisitionLockTimeoutMs", "int32", "1+"),
        Field(
            "responses",
            "[]ShareFetchableTopicResponse",
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
                        Field("acknowledgeErrorCode", "int16", "0+"),
                        Field("acknowledgeErrorMessage", "string", "0+", nullable="0+", default=None),
                        Field(
                            "currentLeader",
                            "LeaderIdAndEpoch",
                            "0+",
                            fields=(
                                Field("leaderId", "int32", "0+"),
                                Field("leaderEpoch", "int32", "0+"),
                            ),
                        ),
                        Field("records", "records", "0+", nullable="0"),
                        Field(
                            "acquiredRecords",
                            "[]AcquiredRecords",
                            "0+",
                            fields=(
                                Field("firstOffset", "int64", "0+"),
                                Field("lastOffset", "int64", "0+"),
                                Field("deliveryCount", "int16", "0+"),
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
