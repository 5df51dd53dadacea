"""StreamsGroupTopologyValue in __consumer_offsets, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "StreamsGroupTopologyValue",
    versions="0",
    flexible="0+",
    fields=(
        Field("epoch", "int32", "0+"),
        Field(
            "subtopologies",
            "[]Subtopology",
            "0+",
            fields=(
                Field("subtopologyId", "string", "0+"),
                Field("sourceTopics", "[]string", "0+"),
                Field("sourceTopicRegex", "[]string", "0+"),
                Field(
                    "stateChangelogTopics",
                    "[]TopicInfo",
                    "0+",
                    fields=(
                        Field("name", "string", "0+"),
                        Field("partitions", "int32", "0+"),
                        Field("replicationFactor", "int16", "0+"),
                        Field(
                            "topicConfigs",
                            "[]TopicConfig",
                            "0+",
                            fields=(
                                Field("key", "string", "0+"),
                                Field("value", "string", "0+"),
                            ),
                        ),
                    ),
                ),
                Field("repartitionSinkTopics", "[]string", "0+"),
                Field(
                    "repartitionSourceTopics",
                    "[]TopicInfo",
                    "0+",
                    fields=(
                        Field("name", "string", "0+"),
                        Field("partitions", "int32", "0+"),
                        Field("replicationFactor", "int16", "0+"),
                        Field(
                            "topicConfigs",
                            "[]TopicConfig",
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
)
