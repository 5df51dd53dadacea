"""Heartbeat (API key 12), versions 0-4.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "HeartbeatRequest",
    versions="0-4",
    flexible="4+",
    fields=(
        Field("groupId", "string", "0+", entity="groupId"),
        Field("generationId", "int32", "0+"),
        Field("memberId", "string", "0+"),
        Field("groupInstanceId", "string", "3+", nullable="3+", default=None),
    ),
)

RESPONSE = Message(
    "HeartbeatResponse",
    versions="0-4",
    flexible="4+",
    fields=(
        Field("throttleTimeMs", "int32", "1+"),
        Field("errorCode", "int16", "0+"),
    ),
)
