"""AddOffsetsToTxn (API key 25), versions 0-4.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "AddOffsetsToTxnRequest",
    versions="0-4",
    flexible="3+",
    fields=(
        Field("transactionalId", "string", "0+", entity="transactionalId"),
        Field("producerId", "int64", "0+", entity="producerId"),
        Field("producerEpoch", "int16", "0+"),
        Field("groupId", "string", "0+", entity="groupId"),
    ),
)

RESPONSE = Message(
    "AddOffsetsToTxnResponse",
    versions="0-4",
    flexible="3+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
    ),
)
