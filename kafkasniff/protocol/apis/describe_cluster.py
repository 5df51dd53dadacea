"""DescribeCluster (API key 60), versions 0-2.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "DescribeClusterRequest",
    versions="0-2",
    flexible="0+",
    fields=(
        Field("includeClusterAuthorizedOperations", "bool", "0+"),
        Field("endpointType", "int8", "1+", default=1),
        Field("includeFencedBrokers", "bool", "2+"),
    ),
)

RESPONSE = Message(
    "DescribeClusterResponse",
    versions="0-2",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "0+", nullable="0+", default=None),
        Field("endpointType", "int8", "1+", default=1),
        Field("clusterId", "string", "0+"),
        Field("controllerId", "int32", "0+", default=-1, entity="brokerId"),
        Field(
            "brokers",
            "[]DescribeClusterBroker",
            "0+",
            fields=(
                Field("brokerId", "int32", "0+", map_key=True, entity="brokerId"),
                Field("host", "string", "0+"),
                Field("port", "int32", "0+"),
                Field("rack", "string", "0+", nullable="0+", default=None),
                Field("isFenced", "bool", "2+"),
            ),
        ),
        Field("clusterAuthorizedOperations", "int32", "0+", default=-2147483648),
    ),
)
