"""ProducerIdsRecord in __cluster_metadata, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ProducerIdsRecord",
    versions="0",
    flexible="0+",
    fields=(
        Field("brokerId", "int32", "0+", entity="brokerId"),
        Field("brokerEpoch", "int64", "0+", default=-1),
        Field("nextProducerId", "int64", "0+"),
    ),
)
