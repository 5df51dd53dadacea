"""StreamsGroupTargetAssignmentMemberValue in __consumer_offsets, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "StreamsGroupTargetAssignmentMemberValue",
    versions="0",
    flexible="0+",
    fields=(
        Field(
            "activeTasks",
            "[]TaskIds",
            "0+",
            fields=(
                Field("subtopologyId", "string", "0+"),
                Field("partitions", "[]int32", "0+"),
            ),
        ),
        Field(
            "standbyTasks",
            "[]TaskIds",
            "0+",
            fields=(
                Field("subtopologyId", "string", "0+"),
                Field("partitions", "[]int32", "0+"),
            ),
        ),
        Field(
            "warmupTasks",
            "[]TaskIds",
            "0+",
            fields=(
                Field("subtopologyId", "string", "0+"),
                Field("partitions", "[]int32", "0+"),
            ),
        ),
    ),
)
