"""ListTransactions (API key 66), versions 0-2.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "ListTransactionsRequest",
    versions="0-2",
    flexible="0+",
    fields=(
        Field("stateFilters", "[]string", "0+"),
        Field("producerIdFilters", "[]int64", "0+", entity="producerId"),
        Field("durationFilter", "int64", "1+", default=-1),
        Field("transactionalIdPattern", "string", "2+", nullable="2+", default=None),
    ),
)

RESPONSE = Message(
    "ListTransactionsResponse",
    versions="0-2",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("unknownStateFilters", "[]string", "0+"),
        Field(
            "transactionStates",
            "[]TransactionState",
            "0+",
            fields=(
                Field("transactionalId", "string", "0+", entity="transactionalId"),
                Field("producerId", "int64", "0+", entity="producerId"),
                Field("transactionState", "string", "0+"),
            ),
        ),
    ),
)
