"""StreamsGroupHeartbeat (API key 88), versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "StreamsGroupHeartbeatRequest",
    versions="0-1",
    flexible="0+",
    fields=(
        Field("groupId", "string", "0+", entity="groupId"),
        Field("memberId", "string", "0+"),
        Field("memberEpoch", "int32", "0+"),
        Field("endpointInformationEpoch", "int32", "0+"),
        Field("instanceId", "string", "0+", nullable="0+", default=None),
        Field("rackId", "string", "0+", nullable="0+", default=None),
        Field("rebalanceTimeoutMs", "int32", "0+", default=-1),
        Field(
            "topology",
            "Topology",
            "0+",
            nullable="0+",
            default=None,
            fields=(
                Field("epoch", "int32", "0+"),
                Field(
                    "subtopologies",
                    "[]Subtopology",
                    "0+",
                    fields=(
                        Field("subtopologyId", "string", "0+"),
                        Field("sourceTopics", "[]string", "0+", entity="topicName"),
                        Field("sourceTopicRegex", "[]string", "0+"),
                        Field(
                            "stateChangelogTopics",
                            "[]TopicInfo",
                            "0+",
                            fields=(
                                Field("name", "string", "0+", entity="topicName"),
                                Field("partitions", "int32", "0+"),
                                Field("replicationFactor", "int16", "0+"),
                                Field(
                                    "topicConfigs",
                                    "[]KeyValue",
                                    "0+",
                                    fields=(
                                        Field("key", "string", "0+"),
                                        Field("value", "string", "0+"),
                                    ),
                                ),
                            ),
                        ),
                        Field("repartitionSinkTopics", "[]string", "0+", entity="topicName"),
                        Field(
                            "repartitionSourceTopics",
                            "[]TopicInfo",
                            "0+",
                            fields=(
                                Field("name", "string", "0+", entity="topicName"),
                                Field("partitions", "int32", "0+"),
                                Field("replicationFactor", "int16", "0+"),
                                Field(
                                    "topicConfigs",
                                    "[]KeyValue",
                                    "0+",
                                    fields=(
                                        Field("key", "string", "0+"),
                                        Field("value", "string", "0+"),
                                    ),
                                ),
                            ),
                        ),
                        Field(
                            "copartitionGroups",
                            "[]CopartitionGroup",
                            "0+",
                            fields=(
                                Field("sourceTopics", "[]int16", "0+"),
                                Field("sourceTopicRegex", "[]int16", "0+"),
                                Field("repartitionSourceTopics", "[]int16", "0+"),
                            ),
                        ),
                    ),
                ),
            ),
        ),
        Field(
            "activeTasks",
            "[]TaskIds",
            "0+",
            nullable="0+",
            default=None,
            fields=(
                Field("subtopologyId", "string", "0+"),
                Field("partitions", "[]int32", "0+"),
            ),
        ),
        Field(
            "standbyTasks",
            "[]TaskIds",
            "0+",
            nullable="0+",
            default=None,
            fields=(
                Field("subtopologyId", "string", "0+"),
                Field("partitions", "[]int32", "0+"),
            ),
        ),
        Field(
            "warmupTasks",
            "[]TaskIds",
            "0+",
            nullable="0+",
            default=None,
            fields=(
                Field("subtopologyId", "string", "0+"),
                Field("partitions", "[]int32", "0+"),
            ),
        ),
        Field("processId", "string", "0+", nullable="0+", default=None),
        Field(
            "userEndpoint",
            "Endpoint",
            "0+",
            nullable="0+",
            default=None,
            fields=(
                Field("host", "string", "0+"),
                Field("port", "uint16", "0+"),
            ),
        ),
        Field(
            "clientTags",
            "[]KeyValue",
            "0+",
            nullable="0+",
            default=None,
            fields=(
                Field("key", "string", "0+"),
                Field("value", "string", "0+"),
            ),
        ),
        Field(
            "taskOffsets",
            "[]TaskOffset",
            "0+",
            nullable="0+",
            default=None,
            fields=(
                Field("subtopologyId", "string", "0+"),
                Field("partition", "int32", "0+"),
                Field("offset", "int64", "0+"),
            ),
        ),
        Field(
            "taskEndOffsets",
            "[]TaskOffset",
            "0+",
            nullable="0+",
            default=None,
            fields=(
                Field("subtopologyId", "string", "0+"),
                Field("partition", "int32", "0+"),
                Field("offset", "int64", "0+"),
            ),
        ),
        Field("shutdownApplication", "bool", "0+", default=False),
    ),
)

RESPONSE = Message(
    "StreamsGroupHeartbeatResponse",
    versions="0-1",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "0+", nullable="0+", default=None),
        Field("memberId", "string", "0+"),
        Field("memberEpoch", "int32", "0+"),
        Field("heartbeatIntervalMs", "int32", "0+"),
        Field("acceptableRecoveryLagLegacy", "int32", "0"),
        Field("taskOffsetIntervalMs", "int32", "0+"),
        Field("acceptableRecoveryLag", "int64", "1+", default=-1),
        Field(
            "status",
            "[]Status",
            "0+",
            nullable="0+",
            fields=(
                Field("statusCode", "int8", "0+"),
                Field("statusDetail", "string", "0+"),
            ),
        ),
        Field(
            "activeTasks",
            "[]TaskIds",
            "0+",
            nullable="0+",
            default=None,
            fields=(
                Field("subtopologyId", "string", "0+"),
                Field("partitions", "[]int32", "0+"),
            ),
        ),
        Field(
            "standbyTasks",
            "[]TaskIds",
            "0+",
            nullable="0+",
            default=None,
            fields=(
                Field("subtopologyId", "string", "0+"),
                Field("partitions", "[]int32", "0+"),
            ),
        ),
        Field(
            "warmupTasks",
            "[]TaskIds",
            "0+",
            nullable="0+",
            default=None,
            fields=(
                Field("subtopologyId", "string", "0+"),
                Field("partitions", "[]int32", "0+"),
            ),
        ),
        Field("topologyDescriptionRequired", "bool", "1+", default=False),
        Field("endpointInformationEpoch", "int32", "0+"),
        Field(
            "partitionsByUserEndpoint",
            "[]EndpointToPartitions",
            "0+",
            nullable="0+",
            default=None,
            fields=(
                Field(
                    "userEndpoint",
                    "Endpoint",
                    "0+",
                    fields=(
                        Field("host", "string", "0+"),
                        Field("port", "uint16", "0+"),
                    ),
                ),
                Field(
                    "activePartitions",
                    "[]TopicPartition",
                    "0+",
                    fields=(
                        Field("topic", "string", "0+", entity="topicName"),
                        Field("partitions", "[]int32", "0+"),
                    ),
                ),
                Field(
                    "standbyPartitions",
                    "[]TopicPartition",
                    "0+",
                    fields=(
                        Field("topic", "string", "0+", entity="topicName"),
                        Field("partitions", "[]int32", "0+"),
                    ),
                ),
            ),
        ),
    ),
)
