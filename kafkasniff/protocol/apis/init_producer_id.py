"""InitProducerId (API key 22), versions 0-6.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "InitProducerIdRequest",
    versions="0-6",
    flexible="2+",
    fields=(
        Field("transactionalId", "string", "0+", nullable="0+", entity="transactionalId"),
        Field("transactionTimeoutMs", "int32", "0+"),
        Field("producerId", "int64", "3+", default=-1, entity="producerId"),
        Field("producerEpoch", "int16", "3+", default=-1),
        Field("enable2Pc", "bool", "6+", default=False),
        Field("keepPreparedTxn", "bool", "6+", default=False),
    ),
)

RESPONSE = Message(
    "InitProducerIdResponse",
    versions="0-6",
    flexible="2+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("producerId", "int64", "0+", default=-1, entity="producerId"),
        Field("producerEpoch", "int16", "0+"),
        Field("ongoingTxnProducerId", "int64", "6+", default=-1, entity="producerId"),
        Field("ongoingTxnProducerEpoch", "int16", "6+", default=-1),
    ),
)
