"""LeaderChangeMessage, versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "LeaderChangeMessage",
    versions="0-1",
    flexible="0+",
    fields=(
        Field("version", "int16", "0+"),
        Field("leaderId", "int32", "0+", entity="brokerId"),
        Field(
            "voters",
            "[]Voter",
            "0+",
            fields=(
                Field("voterId", "int32", "0+"),
                Field("voterDirectoryId", "uuid", "1+"),
            ),
        ),
        Field(
            "grantingVoters",
            "[]Voter",
            "0+",
            fields=(
                Field("voterId", "int32", "0+"),
                Field("voterDirectoryId", "uuid", "1+"),
            ),
        ),
    ),
)
