"""BrokerRegistration (API key 62), versions 0-4.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "BrokerRegistrationRequest",
    versions="0-4",
    flexible="0+",
    fields=(
        Field("brokerId", "int32", "0+", entity="brokerId"),
        Field("clusterId", "string", "0+"),
        Field("incarnationId", "uuid", "0+"),
        Field(
            "listeners",
            "[]Listener",
            "0+",
            fields=(
                Field("name", "string", "0+", map_key=True),
                Field("host", "string", "0+"),
                Field("port", "uint16", "0+"),
                Field("securityProtocol", "int16", "0+"),
            ),
        ),
        Field(
            "features",
            "[]Feature",
            "0+",
            fields=(
                Field("name", "string", "0+", map_key=True),
                Field("minSupportedVersion", "int16", "0+"),
                Field("maxSupportedVersion", "int16", "0+"),
            ),
        ),
        Field("rack", "string", "0+", nullable="0+"),
        Field("isMigratingZkBroker", "bool", "1+", default=False),
        Field("logDirs", "[]uuid", "2+"),
        Field("previousBrokerEpoch", "int64", "3+", default=-1),
    ),
)

RESPONSE = Message(
    "BrokerRegistrationResponse",
    versions="0-4",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("brokerEpoch", "int64", "0+", default=-1),
    ),
)
