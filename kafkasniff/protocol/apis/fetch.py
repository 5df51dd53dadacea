"""Fetch (API key 1), versions 0-18.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "FetchRequest",
    versions="0-18",
    flexible="12+",
    fields=(
        Field("clusterId", "string", "12+", nullable="12+", tagged="12+", tag=0, default=None),
        Field("replicaId", "int32", "0-14", default=-1, entity="brokerId"),
        Field(
            "replicaState",
            "ReplicaState",
            "15+",
            tagged="15+",
            tag=1,
            fields=(
                Field("replicaId", "int32", "15+", default=-1, entity="brokerId"),
                Field("replicaEpoch", "int64", "15+", default=-1),
            ),
        ),
        Field("maxWaitMs", "int32", "0+"),
        Field("minBytes", "int32", "0+"),
        Field("maxBytes", "int32", "3+", default=2147483647),
        Field("isolationLevel", "int8", "4+", default=0),
        Field("sessionId", "int32", "7+", default=0),
        Field("sessionEpoch", "int32", "7+", default=-1),
        Field(
            "topics",
            "[]FetchTopic",
            "0+",
            fields=(
                Field("topic", "string", "0-12", entity="topicName"),
                Field("topicId", "uuid", "13+"),
                Field(
                    "partitions",
                    "[]FetchPartition",
                    "0+",
                    fields=(
                        Field("partition", "int32", "0+"),
                        Field("currentLeaderEpoch", "int32", "9+", default=-1),
                        Field("fetchOffset", "int64", "0+"),
                        Field("lastFetchedEpoch", "int32", "12+", default=-1),
                        Field("logStartOffset", "int64", "5+", default=-1),
                        Field("partitionMaxBytes", "int32", "0+"),
                        Field("replicaDirectoryId", "uuid", "17+", tagged="17+", tag=0),
                        Field("highWatermark", "int64", "18+", tagged="18+", tag=1, default=9223372036854775807),
                    ),
                ),
            ),
        ),
        Field(
            "forgottenTopicsData",
            "[]ForgottenTopic",
            "7+",
            fields=(
                Field("topic", "string", "7-12", entity="topicName"),
                Field("topicId", "uuid", "13+"),
                Field("partitions", "[]int32", "7+"),
            ),
        ),
        Field("rackId", "string", "11+", default=""),
    ),
)

RESPONSE = Message(
    "FetchResponse",
    versions="0-18",
    flexible="12+",
    fields=(
        Field("throttleTimeMs", "int32", "1+"),
        Field("errorCode", "int16", "7+"),
        Field("sessionId", "int32", "7+", default=0),
        Field(
            "responses",
            "[]FetchableTopicResponse",
            "0+",
            fields=(
                Field("topic", "string", "0-12", entity="topicName"),
                Field("topicId", "uuid", "13+"),
                Field(
                    "partitions",
                    "[]PartitionData",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+"),
                        Field("errorCode", "int16", "0+"),
                        Field("highWatermark", "int64", "0+"),
                        Field("lastStableOffset", "int64", "4+", default=-1),
                        Field("logStartOffset", "int64", "5+", default=-1),
                        Field(
                            "divergingEpoch",
                            "EpochEndOffset",
                            "12+",
                            tagged="12+",
                            tag=0,
                            fields=(
                                Field("epoch", "int32", "12+", default=-1),
                                Field("endOffset", "int64", "12+", default=-1),
                            ),
                        ),
                        Field(
                            "currentLeader",
                            "LeaderIdAndEpoch",
                            "12+",
                            tagged="12+",
                            tag=1,
                            fields=(
                                Field("leaderId", "int32", "12+", default=-1, entity="brokerId"),
                                Field("leaderEpoch", "int32", "12+", default=-1),
                            ),
                        ),
                        Field(
                            "snapshotId",
                            "SnapshotId",
                            "12+",
                            tagged="12+",
                            tag=2,
                            fields=(
                                Field("endOffset", "int64", "12+", default=-1),
                                Field("epoch", "int32", "12+", default=-1),
                            ),
                        ),
                        Field(
                            "abortedTransactions",
                            "[]AbortedTransaction",
                            "4+",
                            nullable="4+",
                            fields=(
                                Field("producerId", "int64", "4+", entity="producerId"),
                                Field("firstOffset", "int64", "4+"),
                            ),
                        ),
                        Field("preferredReadReplica", "int32", "11+", default=-1, entity="brokerId"),
                        Field("records", "records", "0+", nullable="0+"),
                    ),
                ),
            ),
        ),
        Field(
            "nodeEndpoints",
            "[]NodeEndpoint",
            "16+",
            tagged="16+",
            tag=0,
            fields=(
                Field("nodeId", "int32", "16+", map_key=True, entity="brokerId"),
                Field("host", "string", "16+"),
                Field("port", "int32", "16+"),
                Field("rack", "string", "16+", nullable="16+", default=None),
            ),
        ),
    ),
)
