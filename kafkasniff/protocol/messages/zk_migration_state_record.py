"""ZkMigrationStateRecord in __cluster_metadata, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ZkMigrationStateRecord", versions="0", flexible="0+", fields=(Field("zkMigrationState", "int8", "0+"),)
)
