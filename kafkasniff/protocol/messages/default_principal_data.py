"""DefaultPrincipalData, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "DefaultPrincipalData",
    versions="0",
    flexible="0+",
    fields=(
        Field("type", "string", "0+"),
        Field("name", "string", "0+"),
        Field("tokenAuthenticated", "bool", "0+"),
    ),
)
