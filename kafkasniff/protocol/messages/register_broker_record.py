"""RegisterBrokerRecord in __cluster_metadata, versions 0-4.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "RegisterBrokerRecord",
    versions="0-4",
    flexible="0+",
    fields=(
        Field("brokerId", "int32", "0+", entity="brokerId"),
        Field("isMigratingZkBroker", "bool", "2+", default=False),
        Field("incarnationId", "uuid", "0+"),
        Field("brokerEpoch", "int64", "0+"),
        Field(
            "endPoints",
            "[]BrokerEndpoint",
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
            "[]BrokerFeature",
            "0+",
            fields=(
                Field("name", "string", "0+", map_key=True),
                Field("minSupportedVersion", "int16", "0+"),
                Field("maxSupportedVersion", "int16", "0+"),
            ),
        ),
        Field("rack", "string", "0+", nullable="0+"),
        Field("fenced", "bool", "0+", default=True),
        Field("inControlledShutdown", "bool", "1+", default=False),
        Field("logDirs", "[]uuid", "3+", tagged="3+", tag=0),
        Field("cordonedLogDirs", "[]uuid", "4+", nullable="4+", tagged="4+", tag=1, default=None),
    ),
)
