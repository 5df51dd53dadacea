"""VotersRecord, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "VotersRecord",
    versions="0",
    flexible="0+",
    fields=(
        Field("version", "int16", "0+"),
        Field(
            "voters",
            "[]Voter",
            "0+",
            fields=(
                Field("voterId", "int32", "0+", entity="brokerId"),
                Field("voterDirectoryId", "uuid", "0+"),
                Field(
                    "endpoints",
                    "[]Endpoint",
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
        ),
    ),
)
