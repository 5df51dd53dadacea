"""ConsumerGroupMemberMetadataKey in __consumer_offsets, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ConsumerGroupMemberMetadataKey",
    versions="0",
    flexible="none",
    fields=(
        Field("groupId", "string", "0+"),
        Field("memberId", "string", "0+"),
    ),
)
