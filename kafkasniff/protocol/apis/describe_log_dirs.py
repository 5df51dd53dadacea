"""DescribeLogDirs (API key 35), versions 0-5.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "DescribeLogDirsRequest",
    versions="0-5",
    flexible="2+",
    fields=(
        Field(
            "topics",
            "[]DescribableLogDirTopic",
            "0+",
            nullable="0+",
            fields=(
                Field("topic", "string", "0+", map_key=True, entity="topicName"),
                Field("partitions", "[]int32", "0+"),
            ),
        ),
    ),
)

RESPONSE = Message(
    "DescribeLogDirsResponse",
    versions="0-5",
    flexible="2+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "3+"),
        Field(
            "results",
            "[]DescribeLogDirsResult",
            "0+",
            fields=(
                Field("errorCode", "int16", "0+"),
                Field("logDir", "string", "0+"),
                Field(
                    "topics",
                    "[]DescribeLogDirsTopic",
                    "0+",
                    fields=(
                        Field("name", "string", "0+", entity="topicName"),
                        Field(
                            "partitions",
                            "[]DescribeLogDirsPartition",
                            "0+",
                            fields=(
                                Field("partitionIndex", "int32", "0+"),
                                Field("partitionSize", "int64", "0+"),
                                Field("offsetLag", "int64", "0+"),
                                Field("isFutureKey", "bool", "0+"),
                            ),
                        ),
                    ),
                ),
                Field("totalBytes", "int64", "4+", default=-1),
                Field("usableBytes", "int64", "4+", default=-1),
                Field("isCordoned", "bool", "5+", default=False),
            ),
        ),
    ),
)
