"""OffsetCommitValue in __consumer_offsets, versions 0-4.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "OffsetCommitValue",
    versions="0-4",
    flexible="4+",
    fields=(
        Field("offset", "int64", "0+"),
        Field("leaderEpoch", "int32", "3+", default=-1),
        Field("metadata", "string", "0+"),
        Field("commitTimestamp", "int64", "0+"),
        Field("expireTimestamp", "int64", "1", default=-1),
        Field("topicId", "uuid", "4+", tagged="4+", tag=0),
    ),
)
