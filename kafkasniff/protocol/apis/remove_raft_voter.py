"""RemoveRaftVoter (API key 81), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "RemoveRaftVoterRequest",
    versions="0",
    flexible="0+",
    fields=(
        Field("clusterId", "string", "0+", nullable="0+"),
        Field("voterId", "int32", "0+"),
        Field("voterDirectoryId", "uuid", "0+"),
    ),
)

RESPONSE = Message(
    "RemoveRaftVoterResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "0+", nullable="0+"),
    ),
)
