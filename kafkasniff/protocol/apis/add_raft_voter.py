"""AddRaftVoter (API key 80), versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "AddRaftVoterRequest",
    versions="0-1",
    flexible="0+",
    fields=(
        Field("clusterId", "string", "0+", nullable="0+"),
        Field("timeoutMs", "int32", "0+"),
        Field("voterId", "int32", "0+"),
        Field("voterDirectoryId", "uuid", "0+"),
        Field(
            "listeners",
            "[]Listener",
            "0+",
            fields=(
                Field("name", "string", "0+", map_key=True),
                Field("host", "string", "0+"),
                Field("port", "uint16", "0+"),
            ),
        ),
        Field("ackWhenCommitted", "bool", "1+", default=True),
    ),
)

RESPONSE = Message(
    "AddRaftVoterResponse",
    versions="0-1",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "0+", nullable="0+"),
    ),
)
