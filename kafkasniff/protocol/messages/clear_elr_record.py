"""ClearElrRecord in __cluster_metadata, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ClearElrRecord", versions="0", flexible="0+", fields=(Field("topicName", "string", "0+", entity="topicName"),)
)
