"""ShareGroupTargetAssignmentMetadataValue in __consumer_offsets, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ShareGroupTargetAssignmentMetadataValue",
    versions="0",
    flexible="0+",
    fields=(
        Field("assignmentEpoch", "int32", "0+"),
        Field("assignmentTimestamp", "int64", "0+", tagged="0+", tag=0, default=0),
    ),
)
