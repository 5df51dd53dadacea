"""PartitionRecord in __cluster_metadata, versions 0-2.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "PartitionRecord",
    versions="0-2",
    flexible="0+",
    fields=(
        Field("partitionId", "int32", "0+", default=-1),
        Field("topicId", "uuid", "0+"),
        Field("replicas", "[]int32", "0+", entity="brokerId"),
        Field("isr", "[]int32", "0+"),
        Field("removingReplicas", "[]int32", "0+", entity="brokerId"),
        Field("addingReplicas", "[]int32", "0+", entity="brokerId"),
        Field("leader", "int32", "0+", default=-1, entity="brokerId"),
        Field("leaderRecoveryState", "int8", "0+", tagged="0+", tag=0, default=0),
        Field("leaderEpoch", "int32", "0+", default=-1),
        Field("partitionEpoch", "int32", "0+", default=-1),
        Field("directories", "[]uuid", "1+"),
        Field(
            "eligibleLeaderReplicas",
            "[]int32",
            "2+",
            nullable="2+",
            tagged="2+",
            tag=1,
            default=None,
            entity="brokerId",
        ),
        Field("lastKnownElr", "[]int32", "2+", nullable="2+", tagged="2+", tag=2, default=None, entity="brokerId"),
    ),
)
