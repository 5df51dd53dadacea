"""BrokerHeartbeat (API key 63), versions 0-2.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "BrokerHeartbeatRequest",
    versions="0-2",
    flexible="0+",
    fields=(
        Field("brokerId", "int32", "0+", entity="brokerId"),
        Field("brokerEpoch", "int64", "0+", default=-1),
        Field("currentMetadataOffset", "int64", "0+"),
        Field("wantFence", "bool", "0+"),
        Field("wantShutDown", "bool", "0+"),
        Field("offlineLogDirs", "[]uuid", "1+", tagged="1+", tag=0),
        Field("cordonedLogDirs", "[]uuid", "2+", nullable="2+", tagged="2+", tag=1, default=None),
    ),
)

RESPONSE = Message(
    "BrokerHeartbeatResponse",
    versions="0-2",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("isCaughtUp", "bool", "0+", default=False),
        Field("isFenced", "bool", "0+", default=True),
        Field("shouldShutDown", "bool", "0+"),
    ),
)
