"""ShareGroupMemberMetadataValue in __consumer_offsets, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ShareGroupMemberMetadataValue",
    versions="0",
    flexible="0+",
    fields=(
        Field("rackId", "string", "0+", nullable="0+"),
        Field("clientId", "string", "0+"),
        Field("clientHost", "string", "0+"),
        Field("subscribedTopicNames", "[]string", "0+"),
    ),
)
