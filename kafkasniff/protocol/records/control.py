"""Control records: the marks of transactions and of KRaft's log."""

from struct import Struct
from typing import Any, Final

from kafkasniff.protocol.bodies import decode_message
from kafkasniff.protocol.message_table import MESSAGES

_KEY = Struct(">hh")
_VERSION = Struct(">h")

_END_TXN_TYPES: Final = {0: "ABORT", 1: "COMMIT"}

_KRAFT_TYPES: Final = {
    2: ("LEADER_CHANGE", "LeaderChangeMessage"),
    3: ("SNAPSHOT_HEADER", "SnapshotHeaderRecord"),
    4: ("SNAPSHOT_FOOTER", "SnapshotFooterRecord"),
    5: ("KRAFT_VERSION", "KRaftVersionRecord"),
    6: ("KRAFT_VOTERS", "VotersRecord"),
}
"""Kafka's ControlRecordType: name, and the message that is the value."""


def decode_control(key: bytes | None, value: bytes | None) -> tuple[dict[str, Any], str]:
    """Decode a control record's key (version and type) and value; give them, and what is wrong with them or ""."""
    if key is None or len(key) < _KEY.size:
        return {}, "expected the key of a control record, found fewer than 4 bytes"
    version, number = _KEY.unpack_from(key)
    control: dict[str, Any] = {"version": version, "typeId": number, "type": "UNKNOWN"}
    if number in _END_TXN_TYPES:
        control["type"] = _END_TXN_TYPES[number]
    elif number in _KRAFT_TYPES:
        control["type"] = _KRAFT_TYPES[number][0]
    else:
        return control, ""
    if value is None or len(value) < _VERSION.size:
        return control, "expected the value of a control record, found fewer than 2 bytes"
    value_version = _VERSION.unpack_from(value)[0]
    if number in _END_TXN_TYPES:
        # Kafka's EndTransactionMarker reads a version that it does not know as the last one it knows.
        last_version = MESSAGES["EndTxnMarker"].last_version
        body = decode_message("EndTxnMarker", min(value_version, last_version), value, _VERSION.size)
        control.update(body.value or {})
    else:
        body = decode_message(_KRAFT_TYPES[number][1], value_version, value)
        control["json"] = body.value
    return control, body.problems[0][2] if body.problems else ""
