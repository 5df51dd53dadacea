"""AllocateProducerIds (API key 67), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "AllocateProducerIdsRequest",
    versions="0",
    flexible="0+",
    fields=(
        Field("brokerId", "int32", "0+", entity="brokerId"),
        Field("brokerEpoch", "int64", "0+", default=-1),
    ),
)

RESPONSE = Message(
    "AllocateProducerIdsResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("producerIdStart", "int64", "0+", entity="producerId"),
        Field("producerIdLen", "int32", "0+"),
    ),
)
