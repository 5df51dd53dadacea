"""The rows of tests/vectors: bytes by Kafka's own serialisers, with the JSON of its converters."""

import base64
import gzip
import json
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any

from kafkasniff.protocol.bodies.tables import FieldTable
from kafkasniff.protocol.bodies.values import ValueReader
from kafkasniff.protocol.primitives import MAX_ELEMENTS
from tests.conftest import VECTORS

Row = dict[str, Any]

API_FILES = ("api-requests", "api-responses")


@cache
def rows(name: str) -> list[Row]:
    """Give the rows of `tests/vectors/<name>.jsonl.gz`."""
    return list(_read(name))


def _read(name: str) -> Iterator[Row]:
    with gzip.open(VECTORS / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def read_value(table: FieldTable, data: bytes, offset: int = 0, *, is_partial: bool) -> tuple[dict[str, Any], int]:
    """Read a message with the reader of values alone; give it, and where it ends. Raises ProtocolError."""
    reader = ValueReader()
    end = reader.read(table, data, offset, MAX_ELEMENTS, is_partial)
    return reader.value, end


def json_text(value: object) -> str:
    """Give JSON text: equal texts are equal values in the same order of keys."""
    return json.dumps(value, ensure_ascii=False)


def name_of(row: Row) -> str:
    """Name a row in messages of failed tests."""
    return f"{row.get('message') or row['type']} v{row.get('api_version', row.get('version'))} {row['row']}"


def as_base64(item: dict[str, Any], name: str) -> str | None:
    """Give a key or value as base64, having checked that it is text exactly where DESIGN's rule makes it text."""
    assert (name in item) != (f"{name}Base64" in item)
    if name not in item:
        encoded: str = item[f"{name}Base64"]
        assert not is_text(base64.b64decode(encoded))
        return encoded
    if item[name] is None:
        return None
    raw: bytes = item[name].encode()
    assert is_text(raw)
    return base64.b64encode(raw).decode()


def is_text(raw: bytes) -> bool:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return False
    return all(unicodedata.category(character) != "Cc" or character in "\t\r\n" for character in text)
