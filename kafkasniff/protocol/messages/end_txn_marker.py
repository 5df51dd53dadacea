"""EndTxnMarker, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message("EndTxnMarker", versions="0", flexible="none", fields=(Field("coordinatorEpoch", "int32", "0+"),))
