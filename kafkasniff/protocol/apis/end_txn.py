"""EndTxn (API key 26), versions 0-5.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "EndTxnRequest",
    versions="0-5",
    flexible="3+",
    fields=(
        Field("transactionalId", "string", "0+", entity="transactionalId"),
        Field("producerId", "int64", "0+", entity="producerId"),
        Field("producerEpoch", "int16", "0+"),
        Field("committed", "bool", "0+"),
    ),
)

RESPONSE = Message(
    "EndTxnResponse",
    versions="0-5",
    flexible="3+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("producerId", "int64", "5+", default=-1, entity="producerId"),
        Field("producerEpoch", "int16", "5+", default=-1),
    ),
)
