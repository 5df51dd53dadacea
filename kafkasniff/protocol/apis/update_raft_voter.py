"""UpdateRaftVoter (API key 82), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "UpdateRaftVoterRequest",
    versions="0",
    flexible="0+",
    fields=(
        Field("clusterId", "string", "0+", nullable="0+"),
        Field("currentLeaderEpoch", "int32", "0+"),
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
        Field(
            "kRaftVersionFeature",
            "KRaftVersionFeature",
            "0+",
            fields=(
                Field("minSupportedVersion", "int16", "0+"),
                Field("maxSupportedVersion", "int16", "0+"),
            ),
        ),
    ),
)

RESPONSE = Message(
    "UpdateRaftVoterResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field(
            "currentLeader",
            "CurrentLeader",
            "0+",
            tagged="0+",
            tag=0,
            fields=(
                Field("leaderId", "int32", "0+", default=-1, entity="brokerId"),
                Field("leaderEpoch", "int32", "0+", default=-1),
                Field("host", "string", "0+"),
                Field("port", "int32", "0+"),
            ),
        ),
    ),
)
