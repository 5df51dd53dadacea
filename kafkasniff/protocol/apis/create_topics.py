"""CreateTopics (API key 19), versions 0-7.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "CreateTopicsRequest",
    versions="0-7",
    flexible="5+",
    fields=(
        Field(
            "topics",
            "[]CreatableTopic",
            "0+",
            fields=(
                Field("name", "string", "0+", map_key=True, entity="topicName"),
                Field("numPartitions", "int32", "0+"),
                Field("replicationFactor", "int16", "0+"),
                Field(
                    "assignments",
                    "[]CreatableReplicaAssignment",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+", map_key=True),
                        Field("brokerIds", "[]int32", "0+", entity="brokerId"),
                    ),
                ),
                Field(
                    "configs",
                    "[]CreatableTopicConfig",
                    "0+",
                    fields=(
                        Field("name", "string", "0+", map_key=True),
                        Field("value", "string", "0+", nullable="0+"),
                    ),
                ),
            ),
        ),
        Field("timeoutMs", "int32", "0+", default=60000),
        Field("validateOnly", "bool", "1+", default=False),
    ),
)

RESPONSE = Message(
    "CreateTopicsResponse",
    versions="0-7",
    flexible="5+",
    fields=(
        Field("throttleTimeMs", "int32", "2+"),
        Field(
            "topics",
            "[]CreatableTopicResult",
            "0+",
            fields=(
                Field("name", "string", "0+", map_key=True, entity="topicName"),
                Field("topicId", "uuid", "7+"),
                Field("errorCode", "int16", "0+"),
                Field("errorMessage", "string", "1+", nullable="1+"),
                Field("topicConfigErrorCode", "int16", "5+", tagged="5+", tag=0),
                Field("numPartitions", "int32", "5+", default=-1),
                Field("replicationFactor", "int16", "5+", default=-1),
                Field(
                    "configs",
                    "[]CreatableTopicConfigs",
                    "5+",
                    nullable="5+",
                    fields=(
                        Field("name", "string", "5+"),
                        Field("value", "string", "5+", nullable="5+"),
                        Field("readOnly", "bool", "5+"),
                        Field("configSource", "int8", "5+", default=-1),
                        Field("isSensitive", "bool", "5+"),
                    ),
                ),
            ),
        ),
    ),
)
