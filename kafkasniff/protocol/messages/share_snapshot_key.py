"""ShareSnapshotKey in __share_group_state, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ShareSnapshotKey",
    versions="0",
    flexible="none",
    fields=(
        Field("groupId", "string", "0+"),
        Field("topicId", "uuid", "0+"),
        Field("partition", "int32", "0+"),
    ),
)
