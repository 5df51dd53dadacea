"""LegacyOffsetCommitKey in __consumer_offsets, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "LegacyOffsetCommitKey",
    versions="0",
    flexible="none",
    fields=(
        Field("group", "string", "0+"),
        Field("topic", "string", "0+"),
        Field("partition", "int32", "0+"),
    ),
)
