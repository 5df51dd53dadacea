"""ConsumerGroupMetadataValue in __consumer_offsets, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ConsumerGroupMetadataValue",
    versions="0",
    flexible="0+",
    fields=(
        Field("epoch", "int32", "0+"),
        Field("metadataHash", "int64", "0+", tagged="0+", tag=0, default=0),
    ),
)
