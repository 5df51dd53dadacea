"""UnfenceBrokerRecord in __cluster_metadata, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "UnfenceBrokerRecord",
    versions="0",
    flexible="0+",
    fields=(
        Field("id", "int32", "0+", entity="brokerId"),
        Field("epoch", "int64", "0+"),
    ),
)
