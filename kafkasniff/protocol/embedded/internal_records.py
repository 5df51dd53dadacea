"""The entry for records: open those of Kafka's internal topics."""

from kafkasniff.protocol.embedded import coordinator_records, framed_records
from kafkasniff.protocol.embedded.entries import Opened
from kafkasniff.protocol.secrets.messages import may_hold_secrets_message, redact_damaged, redact_message


def decode_internal_record(
    topic: str, key: bytes | None, value: bytes | None, *, show_secrets: bool = False
) -> Opened | None:
    """Open a record of an internal topic, given its key and value; None for any other topic; never raises.

    Paths begin with `key` and `value`; a tombstone has no value. Control records, which no topic's own format applies
    to, must not be given.
    """
    into = Opened([], [])
    if topic in coordinator_records.TOPICS:
        coordinator_records.open_record(into, topic, key, value)
    elif topic in framed_records.TOPICS:
        framed_records.open_record(into, topic, value)
    else:
        return None
    if not show_secrets:
        for entry in into.embedded:
            for tree in (entry.value, entry.partial):
                if tree is not None:
                    redact_message(entry.type, tree)
            if entry.partial is not None and may_hold_secrets_message(entry.type):
                redact_damaged(entry.partial)
    return into
