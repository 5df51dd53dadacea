"""StreamsGroupDescribe (API key 89), versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "StreamsGroupDescribeRequest",
    versions="0-1",
    flexible="0+",
    fields=(
        Field("groupIds", "[]string", "0+", entity="groupId"),
        Field("includeAuthorizedOperations", "bool", "0+"),
        Field("includeTopologyDescription", "bool", "1+", default=False),
    ),
)

RESPONSE = Message(
    "StreamsGroupDescribeResponse",
    versions="0-1",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field(
            "groups",
            "[]DescribedGroup",
            "0+",
            fields=(
                Field("errorCode", "int16", "0+"),
                Field("errorMessage", "string", "0+", nullable="0+", default=None),
                Field("groupId", "string", "0+", entity="groupId"),
                Field("groupState", "string", "0+"),
                Field("groupEpoch", "int32", "0+"),
                Field("assignmentEpoch", "int32", "0+"),
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
                            nullable="0+",
                            default=None,
                            fields=(
                                Field("subtopologyId", "string", "0+"),
                                Field("sourceTopics", "[]string", "0+", entity="topicName"),
                                Field("repartitionSinkTopics", "[]string", "0+", entity="topicName"),
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
                            ),
                        ),
                    ),
                ),
                Field(
                    "members",
                    "[]Member",
                    "0+",
                    fields=(
                        Field("memberId", "string", "0+"),
                        Field("memberEpoch", "int32", "0+"),
                        Field("instanceId", "string", "0+", nullable="0+", default=None),
                        Field("rackId", "string", "0+", nullable="0+", default=None),
                        Field("clientId", "string", "0+"),
                        Field("clientHost", "string", "0+"),
                        Field("topologyEpoch", "int32", "0+"),
                        Field("processId", "string", "0+"),
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
                            fields=(
                                Field("key", "string", "0+"),
                                Field("value", "string", "0+"),
                            ),
                        ),
                        Field(
                            "taskOffsets",
                            "[]TaskOffset",
                            "0+",
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
                            fields=(
                                Field("subtopologyId", "string", "0+"),
                                Field("partition", "int32", "0+"),
                                Field("offset", "int64", "0+"),
                            ),
                        ),
                        Field(
                            "assignment",
                            "Assignment",
                            "0+",
                            fields=(
                                Field(
                                    "activeTasks",
                                    "[]TaskIds",
                                    "0+",
                                    fields=(
                                        Field("subtopologyId", "string", "0+"),
                                        Field("partitions", "[]int32", "0+"),
                                    ),
                                ),
                                Field(
                                    "standbyTasks",
                                    "[]TaskIds",
                                    "0+",
                                    fields=(
                                        Field("subtopologyId", "string", "0+"),
                                        Field("partitions", "[]int32", "0+"),
                                    ),
                                ),
                                Field(
                                    "warmupTasks",
                                    "[]TaskIds",
                                    "0+",
                                    fields=(
                                        Field("subtopologyId", "string", "0+"),
                                        Field("partitions", "[]int32", "0+"),
                                    ),
                                ),
                            ),
                        ),
                        Field(
                            "targetAssignment",
                            "Assignment",
                            "0+",
                            fields=(
                                Field(
                                    "activeTasks",
                                    "[]TaskIds",
                                    "0+",
                                    fields=(
                                        Field("subtopologyId", "string", "0+"),
                                        Field("partitions", "[]int32", "0+"),
                                    ),
                                ),
                                Field(
                                    "standbyTasks",
                                    "[]TaskIds",
                                    "0+",
                                    fields=(
                                        Field("subtopologyId", "string", "0+"),
                                        Field("partitions", "[]int32", "0+"),
                                    ),
                                ),
                                Field(
                                    "warmupTasks",
                                    "[]TaskIds",
                                    "0+",
                                    fields=(
                                        Field("subtopologyId", "string", "0+"),
                                        Field("partitions", "[]int32", "0+"),
                                    ),
                                ),
                            ),
                        ),
                        Field("isClassic", "bool", "0+"),
                    ),
                ),
                Field("authorizedOperations", "int32", "0+", default=-2147483648),
                Field(
                    "topologyDescription",
                    "TopologyDescription",
                    "1+",
                    nullable="1+",
                    default=None,
                    fields=(
                        Field(
                            "subtopologies",
                            "[]TopologyDescriptionSubtopology",
                            "1+",
                            fields=(
                                Field("subtopologyId", "string", "1+"),
                                Field(
                                    "nodes",
                                    "[]TopologyDescriptionNode",
                                    "1+",
                                    fields=(
                                        Field("name", "string", "1+"),
                                        Field("nodeType", "int8", "1+"),
                                        Field("sourceTopics", "[]string", "1+", entity="topicName"),
                                        Field(
                                            "sinkTopic", "string", "1+", nullable="1+", default=None, entity="topicName"
                                        ),
                                        Field("stores", "[]string", "1+"),
                                        Field("successors", "[]string", "1+"),
                                    ),
                                ),
                            ),
                        ),
                        Field(
                            "globalStores",
                            "[]TopologyDescriptionGlobalStore",
                            "1+",
                            fields=(
                                Field(
                                    "source",
                                    "TopologyDescriptionNode",
                                    "1+",
                                    fields=(
                                        Field("name", "string", "1+"),
                                        Field("nodeType", "int8", "1+"),
                                        Field("sourceTopics", "[]string", "1+", entity="topicName"),
                                        Field(
                                            "sinkTopic", "string", "1+", nullable="1+", default=None, entity="topicName"
                                        ),
                                        Field("stores", "[]string", "1+"),
                                        Field("successors", "[]string", "1+"),
                                    ),
                                ),
                                Field(
                                    "processor",
                                    "TopologyDescriptionNode",
                                    "1+",
                                    fields=(
                                        Field("name", "string", "1+"),
                                        Field("nodeType", "int8", "1+"),
                                        Field("sourceTopics", "[]string", "1+", entity="topicName"),
                                        Field(
                                            "sinkTopic", "string", "1+", nullable="1+", default=None, entity="topicName"
                                        ),
                                        Field("stores", "[]string", "1+"),
                                        Field("successors", "[]string", "1+"),
                                    ),
                                ),
                            ),
                        ),
                    ),
                ),
                Field("topologyDescriptionStatus", "int8", "1+", default=0),
                Field("assignorName", "string", "1+", nullable="1+", default=None),
            ),
        ),
    ),
)
