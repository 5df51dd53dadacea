"""UnregisterBroker (API key 64), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "UnregisterBrokerRequest",
    versions="0",
    flexible="0+",
    fields=(Field("brokerId", "int32", "0+", entity="brokerId"),),
)

RESPONSE = Message(
    "UnregisterBrokerResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "0+", nullable="0+"),
    ),
)
