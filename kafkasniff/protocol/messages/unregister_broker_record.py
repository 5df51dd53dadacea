"""UnregisterBrokerRecord in __cluster_metadata, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "UnregisterBrokerRecord",
    versions="0",
    flexible="0+",
    fields=(
        Field("brokerId", "int32", "0+", entity="brokerId"),
        Field("brokerEpoch", "int64", "0+"),
    ),
)
