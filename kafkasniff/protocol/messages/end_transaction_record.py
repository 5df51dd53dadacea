"""EndTransactionRecord in __cluster_metadata, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Message

MESSAGE = Message("EndTransactionRecord", versions="0", flexible="0+", fields=())
