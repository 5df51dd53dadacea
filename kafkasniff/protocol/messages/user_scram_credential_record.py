"""UserScramCredentialRecord in __cluster_metadata, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "UserScramCredentialRecord",
    versions="0",
    flexible="0+",
    fields=(
        Field("name", "string", "0+"),
        Field("mechanism", "int8", "0+"),
        Field("salt", "bytes", "0+"),
        Field("storedKey", "bytes", "0+"),
        Field("serverKey", "bytes", "0+"),
        Field("iterations", "int32", "0+"),
    ),
)
