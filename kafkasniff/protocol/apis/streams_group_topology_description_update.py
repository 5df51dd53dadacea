"""StreamsGroupTopologyDescriptionUpdate (API key 93), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "StreamsGroupTopologyDescriptionUpdateRequest",
    versions="0",
    flexible="0+",
    fields=(
        Field("groupId", "string", "0+", entity="groupId"),
        Field("memberId", "string", "0+"),
        Field("topologyEpoch", "int32", "0+"),
        Field(
            "topologyDescription",
            "TopologyDescription",
            "0+",
            fields=(
                Field(
                    "subtopologies",
                    "[]TopologyDescriptionSubtopology",
                    "0+",
                    fields=(
                        Field("subtopologyId", "string", "0+"),
                        Field(
                            "nodes",
                            "[]TopologyDescriptionNode",
                            "0+",
                            fields=(
                                Field("name", "string", "0+"),
                                Field("nodeType", "int8", "0+"),
                                Field("sourceTopics", "[]string", "0+", entity="topicName"),
                                Field("sinkTopic", "string", "0+", nullable="0+", default=None, entity="topicName"),
                                Field("stores", "[]string", "0+"),
                                Field("successors", "[]string", "0+"),
                            ),
                        ),
                    ),
                ),
                Field(
                    "globalStores",
                    "[]TopologyDescriptionGlobalStore",
                    "0+",
                    fields=(
                        Field(
                            "source",
                            "TopologyDescriptionNode",
                            "0+",
                            fields=(
                                Field("name", "string", "0+"),
                                Field("nodeType", "int8", "0+"),
                                Field("sourceTopics", "[]string", "0+", entity="topicName"),
                                Field("sinkTopic", "string", "0+", nullable="0+", default=None, entity="topicName"),
                                Field("stores", "[]string", "0+"),
                                Field("successors", "[]string", "0+"),
                            ),
                        ),
                        Field(
                            "processor",
                            "TopologyDescriptionNode",
                            "0+",
                            fields=(
                                Field("name", "string", "0+"),
                                Field("nodeType", "int8", "0+"),
                                Field("sourceTopics", "[]string", "0+", entity="topicName"),
                                Field("sinkTopic", "string", "0+", nullable="0+", default=None, entity="topicName"),
                                Field("stores", "[]string", "0+"),
                                Field("successors", "[]string", "0+"),
                            ),
                        ),
                    ),
                ),
            ),
        ),
    ),
)

RESPONSE = Message(
    "StreamsGroupTopologyDescriptionUpdateResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "0+", nullable="0+", default=None),
    ),
)
