"""RemoveAccessControlEntryRecord in __cluster_metadata, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message("RemoveAccessControlEntryRecord", versions="0", flexible="0+", fields=(Field("id", "uuid", "0+"),))
