"""KRaftVersionRecord, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "KRaftVersionRecord",
    versions="0",
    flexible="0+",
    fields=(
        Field("version", "int16", "0+"),
        Field("kRaftVersion", "int16", "0+"),
    ),
)
