"""ConsumerGroupDescribe (API key 69), versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "ConsumerGroupDescribeRequest",
    versions="0-1",
    flexible="0+",
    fields=(
        Field("groupIds", "[]string", "0+", entity="groupId"),
        Field("includeAuthorizedOperations", "bool", "0+"),
    ),
)

RESPONSE = Message(
    "ConsumerGroupDescribeResponse",
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
                Field("assignorName", "string", "0+"),
                Field(
                    "members",
                    "[]Member",
                    "0+",
                    fields=(
                        Field("memberId", "string", "0+"),
                        Field("instanceId", "string", "0+", nullable="0+", default=None),
                        Field("rackId", "string", "0+", nullable="0+", default=None),
                        Field("memberEpoch", "int32", "0+"),
                        Field("clientId", "string", "0+"),
                        Field("clientHost", "string", "0+"),
                        Field("subscribedTopicNames", "[]string", "0+", entity="topicName"),
                        Field("subscribedTopicRegex", "string", "0+", nullable="0+", default=None),
                        Field(
                            "assignment",
                            "Assignment",
                            "0+",
                            fields=(
                                Field(
                                    "topicPartitions",
                                    "[]TopicPartitions",
                                    "0+",
                                    fields=(
                                        Field("topicId", "uuid", "0+"),
                                        Field("topicName", "string", "0+", entity="topicName"),
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
                                    "topicPartitions",
                                    "[]TopicPartitions",
                                    "0+",
                                    fields=(
                                        Field("topicId", "uuid", "0+"),
                                        Field("topicName", "string", "0+", entity="topicName"),
                                        Field("partitions", "[]int32", "0+"),
                                    ),
                                ),
                            ),
                        ),
                        Field("memberType", "int8", "1+", default=-1),
                    ),
                ),
                Field("authorizedOperations", "int32", "0+", default=-2147483648),
            ),
        ),
    ),
)
