"""DeleteTopics (API key 20), versions 0-6.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "DeleteTopicsRequest",
    versions="0-6",
    flexible="4+",
    fields=(
        Field("topicNames", "[]string", "0-5", entity="topicName"),
        Field(
            "topics",
            "[]DeleteTopicState",
            "6+",
            fields=(
                Field("name", "string", "6+", nullable="6+", default=None, entity="topicName"),
                Field("topicId", "uuid", "6+"),
            ),
        ),
        Field("timeoutMs", "int32", "0+"),
    ),
)

RESPONSE = Message(
    "DeleteTopicsResponse",
    versions="0-6",
    flexible="4+",
    fields=(
        Field("throttleTimeMs", "int32", "1+"),
        Field(
            "responses",
            "[]DeletableTopicResult",
            "0+",
            fields=(
                Field("name", "string", "0+", nullable="6+", map_key=True, entity="topicName"),
                Field("topicId", "uuid", "6+"),
                Field("errorCode", "int16", "0+"),
                Field("errorMessage", "string", "5+", nullable="5+", default=None),
            ),
        ),
    ),
)
