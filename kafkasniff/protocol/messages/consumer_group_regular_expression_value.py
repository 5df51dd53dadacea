"""ConsumerGroupRegularExpressionValue in __consumer_offsets, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ConsumerGroupRegularExpressionValue",
    versions="0",
    flexible="0+",
    fields=(
        Field("topics", "[]string", "0+"),
        Field("version", "int64", "0+"),
        Field("timestamp", "int64", "0+"),
    ),
)
