"""Produce (API key 0), versions 0-13.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "ProduceRequest",
    versions="0-13",
    flexible="9+",
    fields=(
        Field("transactionalId", "string", "3+", nullable="3+", default=None, entity="transactionalId"),
        Field("acks", "int16", "0+"),
        Field("timeoutMs", "int32", "0+"),
        Field(
            "topicData",
            "[]TopicProduceData",
            "0+",
            fields=(
                Field("name", "string", "0-12", map_key=True, entity="topicName"),
                Field("topicId", "uuid", "13+", map_key=True),
                Field(
                    "partitionData",
                    "[]PartitionProduceData",
                    "0+",
                    fields=(
                        Field("index", "int32", "0+"),
                        Field("records", "records", "0+", nullable="0+"),
                    ),
                ),
            ),
        ),
    ),
)

RESPONSE = Message(
    "ProduceResponse",
    versions="0-13",
    flexible="9+",
    fields=(
        Field(
            "responses",
            "[]TopicProduceResponse",
            "0+",
            fields=(
                Field("name", "string", "0-12", map_key=True, entity="topicName"),
                Field("topicId", "uuid", "13+", map_key=True),
                Field(
                    "partitionResponses",
                    "[]PartitionProduceResponse",
                    "0+",
                    fields=(
                        Field("index", "int32", "0+"),
                        Field("errorCode", "int16", "0+"),
                        Field("baseOffset", "int64", "0+"),
                        Field("logAppendTimeMs", "int64", "2+", default=-1),
                        Field("logStartOffset", "int64", "5+", default=-1),
                        Field(
                            "recordErrors",
                            "[]BatchIndexAndErrorMessage",
                            "8+",
                            fields=(
                                Field("batchIndex", "int32", "8+"),
                                Field("batchIndexErrorMessage", "string", "8+", nullable="8+", default=None),
                            ),
                        ),
                        Field("errorMessage", "string", "8+", nullable="8+", default=None),
                        Field(
                            "currentLeader",
                            "LeaderIdAndEpoch",
                            "10+",
                            tagged="10+",
                            tag=0,
                            fields=(
                                Field("leaderId", "int32", "10+", default=-1, entity="brokerId"),
                                Field("leaderEpoch", "int32", "10+", default=-1),
                            ),
                        ),
                    ),
                ),
            ),
        ),
        Field("throttleTimeMs", "int32", "1+", default=0),
        Field(
            "nodeEndpoints",
            "[]NodeEndpoint",
            "10+",
            tagged="10+",
            tag=0,
            fields=(
                Field("nodeId", "int32", "10+", map_key=True, entity="brokerId"),
                Field("host", "string", "10+"),
                Field("port", "int32", "10+"),
                Field("rack", "string", "10+", nullable="10+", default=None),
            ),
        ),
    ),
)
