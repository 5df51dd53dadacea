"""TransactionLogValue in __transaction_state, versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "TransactionLogValue",
    versions="0-1",
    flexible="1+",
    fields=(
        Field("producerId", "int64", "0+"),
        Field("previousProducerId", "int64", "1+", tagged="1+", tag=0, default=-1),
        Field("nextProducerId", "int64", "1+", tagged="1+", tag=1, default=-1),
        Field("producerEpoch", "int16", "0+"),
        Field("nextProducerEpoch", "int16", "1+", tagged="1+", tag=3, default=-1),
        Field("transactionTimeoutMs", "int32", "0+"),
        Field("transactionStatus", "int8", "0+"),
        Field(
            "transactionPartitions",
            "[]PartitionsSchema",
            "0+",
            nullable="0+",
            fields=(
                Field("topic", "string", "0+"),
                Field("partitionIds", "[]int32", "0+"),
            ),
        ),
        Field("transactionLastUpdateTimestampMs", "int64", "0+"),
        Field("transactionStartTimestampMs", "int64", "0+"),
        Field("clientTransactionVersion", "int16", "1+", tagged="1+", tag=2, default=0),
    ),
)
