"""LegacyOffsetCommitValue in __consumer_offsets, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "LegacyOffsetCommitValue",
    versions="0",
    flexible="none",
    fields=(
        Field("offset", "int64", "0+"),
        Field("metadata", "string", "0+"),
        Field("commitTimestamp", "int64", "0+"),
    ),
)
