"""ShareSnapshotValue in __share_group_state, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ShareSnapshotValue",
    versions="0",
    flexible="0+",
    fields=(
        Field("snapshotEpoch", "int32", "0+"),
        Field("stateEpoch", "int32", "0+"),
        Field("leaderEpoch", "int32", "0+"),
        Field("startOffset", "int64", "0+"),
        Field("deliveryCompleteCount", "int32", "0+", tagged="0+", tag=0, default=-1),
        Field("createTimestamp", "int64", "0+"),
        Field("writeTimestamp", "int64", "0+"),
        Field(
            "stateBatches",
            "[]StateBatch",
            "0+",
            fields=(
                Field("firstOffset", "int64", "0+"),
                Field("lastOffset", "int64", "0+"),
                Field("deliveryState", "int8", "0+"),
                Field("deliveryCount", "int16", "0+"),
            ),
        ),
    ),
)
