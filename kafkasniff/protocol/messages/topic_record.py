"""TopicRecord in __cluster_metadata, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "TopicRecord",
    versions="0",
    flexible="0+",
    fields=(
        Field("name", "string", "0+", entity="topicName"),
        Field("topicId", "uuid", "0+"),
    ),
)
