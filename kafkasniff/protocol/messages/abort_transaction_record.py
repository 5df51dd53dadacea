"""AbortTransactionRecord in __cluster_metadata, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "AbortTransactionRecord",
    versions="0",
    flexible="0+",
    fields=(Field("reason", "string", "0+", nullable="0+", tagged="0+", tag=0, default=None),),
)
