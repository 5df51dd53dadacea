"""Keys, values and headers in the form of the JSON lines."""

from base64 import b64decode
from typing import Any, Final

from kafkasniff.protocol.primitives import base64_text, java_text

_CONTROLS: Final = bytes(byte for byte in range(32) if byte not in b"\t\n\r") + b"\x7f"
"""ASCII's control characters other than tab and line ends."""

_JOINED_TEXTS: Final = 1024
"""How many texts are looked at in one go."""

_SCHEMA_HEADER_BYTES: Final = 5
"""Confluent's wire format: a zero byte and the schema's id, int32."""


def is_plain(texts: list[str]) -> bool:
    """Tell whether texts are ASCII without control characters other than tab and line ends."""
    for start in range(0, len(texts), _JOINED_TEXTS):
        joined = "".join(texts[start : start + _JOINED_TEXTS])
        if not joined.isascii() or _has_controls(joined.encode("ascii")):
            return False
    return True


def _has_controls(raw: bytes) -> bool:
    # Removing by a table is a fast way to search for one of a set: five times that of a regular expression.
    return len(raw.translate(None, _CONTROLS)) < len(raw)


def as_text(raw: bytes) -> str | None:
    """Give UTF-8 without control characters other than tab and line ends as text; None for anything else."""
    if len(raw.translate(None, _CONTROLS)) != len(raw):
        return None
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    # Of C1, the control characters beyond ASCII, UTF-8 has the second byte 80 to 9f behind c2.
    if not text.isascii() and any("\x80" <= character <= "\x9f" for character in text):
        return None
    return text


def put_bytes(item: dict[str, Any], name: str, raw: bytes | None, limit: int | None) -> None:
    """Put a key or value into `item`: as text under `name`, else as base64 under `<name>Base64`; None is a tombstone.

    Of more than `limit` bytes (None: all) only the first are put, with all their number as `<name>SizeInBytes`.
    """
    if raw is None:
        item[name] = None
        return
    shown = raw if limit is None else raw[:limit]
    text = as_text(raw)
    if text is None:
        item[name + "Base64"] = base64_text(shown)
    else:
        item[name] = text if len(shown) == len(raw) else shown.decode("utf-8", "ignore")
    if len(shown) < len(raw):
        item[name + "SizeInBytes"] = len(raw)


def raw_bytes(item: dict[str, Any], name: str) -> bytes | None:
    """Give the bytes of a key or value that `put_bytes` put into `item` without a limit."""
    if name in item:
        text: str | None = item[name]
        return None if text is None else text.encode()
    return b64decode(item[name + "Base64"])


def schema_id(raw: bytes | None) -> int | None:
    """Give the schema id of a key or value that looks like Confluent's wire format, else None.

    Ids count up from 1, so that more than 24 bits of them are taken for chance.
    """
    if raw is None or len(raw) <= _SCHEMA_HEADER_BYTES or raw[:2] != b"\0\0":
        return None
    return int.from_bytes(raw[1:_SCHEMA_HEADER_BYTES], "big") or None


def in_json_form(record: dict[str, Any], limit: int | None) -> dict[str, Any]:
    """Give a record, whose texts are Latin-1 of the bytes, with its keys and values as text or base64."""
    key, value = (None if text is None else text.encode("latin-1") for text in (record["key"], record["value"]))
    item: dict[str, Any] = {"offset": record["offset"], "timestamp": record["timestamp"]}
    put_bytes(item, "key", key, limit)
    put_bytes(item, "value", value, limit)
    item["headers"] = tuple(_header_in_json_form(header, limit) for header in record["headers"])
    if (number := schema_id(key)) is not None:
        item["keySchemaId"] = number
    if (number := schema_id(value)) is not None:
        item["schemaId"] = number
    return item


def _header_in_json_form(header: dict[str, Any], limit: int | None) -> dict[str, Any]:
    item = {"key": java_text(header["key"].encode("latin-1"))}
    put_bytes(item, "value", None if header["value"] is None else header["value"].encode("latin-1"), limit)
    return item
