"""AddPartitionsToTxn (API key 24), versions 0-5.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "AddPartitionsToTxnRequest",
    versions="0-5",
    flexible="3+",
    fields=(
        Field("v3AndBelowTransactionalId", "string", "0-3", entity="transactionalId"),
        Field("v3AndBelowProducerId", "int64", "0-3", entity="producerId"),
        Field("v3AndBelowProducerEpoch", "int16", "0-3"),
        Field(
            "v3AndBelowTopics",
            "[]AddPartitionsToTxnTopic",
            "0-3",
            fields=(
                Field("name", "string", "0-3", map_key=True, entity="topicName"),
                Field("partitions", "[]int32", "0-3"),
            ),
        ),
        Field(
            "transactions",
            "[]AddPartitionsToTxnTransaction",
            "4+",
            fields=(
                Field("transactionalId", "string", "4+", map_key=True, entity="transactionalId"),
                Field("producerId", "int64", "4+", entity="producerId"),
                Field("producerEpoch", "int16", "4+"),
                Field("verifyOnly", "bool", "4+", default=False),
                Field(
                    "topics",
                    "[]AddPartitionsToTxnTopic",
                    "4+",
                    fields=(
                        Field("name", "string", "4+", map_key=True, entity="topicName"),
                        Field("partitions", "[]int32", "4+"),
                    ),
                ),
            ),
        ),
    ),
)

RESPONSE = Message(
    "AddPartitionsToTxnResponse",
    versions="0-5",
    flexible="3+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field(
            "resultsByTopicV3AndBelow",
            "[]AddPartitionsToTxnTopicResult",
            "0-3",
            fields=(
                Field("name", "string", "0-3", map_key=True, entity="topicName"),
                Field(
                    "resultsByPartition",
                    "[]AddPartitionsToTxnPartitionResult",
                    "0-3",
                    fields=(
                        Field("partitionIndex", "int32", "0-3", map_key=True),
                        Field("partitionErrorCode", "int16", "0-3"),
                    ),
                ),
            ),
        ),
        Field("errorCode", "int16", "4+"),
        Field(
            "resultsByTransaction",
            "[]AddPartitionsToTxnResult",
            "4+",
            fields=(
                Field("transactionalId", "string", "4+", map_key=True, entity="transactionalId"),
                Field(
                    "topicResults",
                    "[]AddPartitionsToTxnTopicResult",
                    "4+",
                    fields=(
                        Field("name", "string", "4+", map_key=True, entity="topicName"),
                        Field(
                            "resultsByPartition",
                            "[]AddPartitionsToTxnPartitionResult",
                            "4+",
                            fields=(
                                Field("partitionIndex", "int32", "4+", map_key=True),
                                Field("partitionErrorCode", "int16", "4+"),
                            ),
                        ),
                    ),
                ),
            ),
        ),
    ),
)
