"""PartitionChangeRecord in __cluster_metadata, versions 0-2.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "PartitionChangeRecord",
    versions="0-2",
    flexible="0+",
    fields=(
        Field("partitionId", "int32", "0+", default=-1),
        Field("topicId", "uuid", "0+"),
        Field("isr", "[]int32", "0+", nullable="0+", tagged="0+", tag=0, default=None, entity="brokerId"),
        Field("leader", "int32", "0+", tagged="0+", tag=1, default=-2, entity="brokerId"),
        Field("replicas", "[]int32", "0+", nullable="0+", tagged="0+", tag=2, default=None, entity="brokerId"),
        Field("removingReplicas", "[]int32", "0+", nullable="0+", tagged="0+", tag=3, default=None, entity="brokerId"),
        Field("addingReplicas", "[]int32", "0+", nullable="0+", tagged="0+", tag=4, default=None, entity="brokerId"),
        Field("leaderRecoveryState", "int8", "0+", tagged="0+", tag=5, default=-1),
        Field("directories", "[]uuid", "1+", nullable="1+", tagged="1+", tag=8, default=None),
        Field(
            "eligibleLeaderReplicas",
            "[]int32",
            "2+",
            nullable="2+",
            tagged="2+",
            tag=6,
            default=None,
            entity="brokerId",
        ),
        Field("lastKnownElr", "[]int32", "2+", nullable="2+", tagged="2+", tag=7, default=None, entity="brokerId"),
    ),
)
