"""SnapshotFooterRecord, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message("SnapshotFooterRecord", versions="0", flexible="0+", fields=(Field("version", "int16", "0+"),))
