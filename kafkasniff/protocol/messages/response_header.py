"""ResponseHeader, versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message("ResponseHeader", versions="0-1", flexible="1+", fields=(Field("correlationId", "int32", "0+"),))
