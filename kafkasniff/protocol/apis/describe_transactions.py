"""DescribeTransactions (API key 65), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "DescribeTransactionsRequest",
    versions="0",
    flexible="0+",
    fields=(Field("transactionalIds", "[]string", "0+", entity="transactionalId"),),
)

RESPONSE = Message(
    "DescribeTransactionsResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field(
            "transactionStates",
            "[]TransactionState",
            "0+",
            fields=(
                Field("errorCode", "int16", "0+"),
                Field("transactionalId", "string", "0+", entity="transactionalId"),
                Field("transactionState", "string", "0+"),
                Field("transactionTimeoutMs", "int32", "0+"),
                Field("transactionStartTimeMs", "int64", "0+"),
                Field("producerId", "int64", "0+", entity="producerId"),
                Field("producerEpoch", "int16", "0+"),
                Field(
                    "topics",
                    "[]TopicData",
                    "0+",
                    fields=(
                        Field("topic", "string", "0+", map_key=True, entity="topicName"),
                        Field("partitions", "[]int32", "0+"),
                    ),
                ),
            ),
        ),
    ),
)
