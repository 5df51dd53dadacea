"""UnregisterController (API key 94), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "UnregisterControllerRequest", versions="0", flexible="0+", fields=(Field("controllerId", "int32", "0+"),)
)

RESPONSE = Message(
    "UnregisterControllerResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "0+", nullable="0+"),
    ),
)
