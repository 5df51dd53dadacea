"""ShareGroupPartitionMetadataKey in __consumer_offsets, versions 9.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ShareGroupPartitionMetadataKey", versions="9", flexible="none", fields=(Field("groupId", "string", "9+"),)
)
