"""BrokerRegistrationChangeRecord in __cluster_metadata, versions 0-3.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "BrokerRegistrationChangeRecord",
    versions="0-3",
    flexible="0+",
    fields=(
        Field("brokerId", "int32", "0+", entity="brokerId"),
        Field("brokerEpoch", "int64", "0+"),
        Field("fenced", "int8", "0+", tagged="0+", tag=0),
        Field("inControlledShutdown", "int8", "1+", tagged="1+", tag=1),
        Field("logDirs", "[]uuid", "2+", tagged="2+", tag=2),
        Field("cordonedLogDirs", "[]uuid", "3+", nullable="3+", tagged="3+", tag=3, default=None),
    ),
)
