"""TransactionLogKey in __transaction_state, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "TransactionLogKey", versions="0", flexible="none", fields=(Field("transactionalId", "string", "0+"),)
)
