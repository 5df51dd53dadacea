"""RemoveUserScramCredentialRecord in __cluster_metadata, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "RemoveUserScramCredentialRecord",
    versions="0",
    flexible="0+",
    fields=(
        Field("name", "string", "0+"),
        Field("mechanism", "int8", "0+"),
    ),
)
