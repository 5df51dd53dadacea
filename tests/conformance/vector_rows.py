"""The rows of tests/vectors: bytes by Kafka's own serialisers, with the JSON of its converters."""

import gzip
import json
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
