"""ControlRecordTypeSchema, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message("ControlRecordTypeSchema", versions="0", flexible="none", fields=(Field("type", "int16", "0+"),))
