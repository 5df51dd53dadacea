"""FindCoordinator (API key 10), versions 0-6.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "FindCoordinatorRequest",
    versions="0-6",
    flexible="3+",
    fields=(
        Field("key", "string", "0-3"),
        Field("keyType", "int8", "1+", default=0),
        Field("coordinatorKeys", "[]string", "4+"),
    ),
)

RESPONSE = Message(
    "FindCoordinatorResponse",
    versions="0-6",
    flexible="3+",
    fields=(
        Field("throttleTimeMs", "int32", "1+"),
        Field("errorCode", "int16", "0-3"),
        Field("errorMessage", "string", "1-3", nullable="1-3"),
        Field("nodeId", "int32", "0-3", entity="brokerId"),
        Field("host", "string", "0-3"),
        Field("port", "int32", "0-3"),
        Field(
            "coordinators",
            "[]Coordinator",
            "4+",
            fields=(
                Field("key", "string", "4+"),
                Field("nodeId", "int32", "4+", entity="brokerId"),
                Field("host", "string", "4+"),
                Field("port", "int32", "4+"),
                Field("errorCode", "int16", "4+"),
                Field("errorMessage", "string", "4+", nullable="4+"),
            ),
        ),
    ),
)
