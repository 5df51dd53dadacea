"""Of a body only its error codes and a few of its fields, where it decodes whole and without a problem."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.decoding import is_unsupported_version
from kafkasniff.protocol.bodies.tables import make_table
from kafkasniff.protocol.bodies.values import borrow_reader, give_back
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.headers import API_VERSIONS
from kafkasniff.protocol.primitives import MAX_ELEMENTS, RecordsField


@dataclass(slots=True, eq=False)
class ScannedBody:
    """What a scan found."""

    names: frozenset[str]
    """Names of the fields asked for."""
    value: dict[str, Any]
    """The fields asked for, as in the whole body."""
    errors: list[tuple[str, int]]
    """Path and code of each error code that is not zero."""
    records: list[RecordsField]
    """Where the `records` fields lie."""


def scan_body(
    api_key: int, api_version: int, kind: Kind, data: bytes, offset: int, names: frozenset[str]
) -> ScannedBody | None:
    """Scan the body that begins at `offset` and should end with `data`, for the fields with these names.

    A field inside a struct is given when the names of all structs around it are among them. Gives None for a body with
    any problem, which `decode_body` tells.
    """
    return scanner_of(api_key, api_version, kind, names)(data, offset)


Scanner = Callable[[bytes, int], ScannedBody | None]
"""Scans bodies of one layout from an offset on."""


@cache
def scanner_of(api_key: int, version: int, kind: Kind, names: frozenset[str]) -> Scanner:
    """Give what scans bodies as `scan_body` does."""
    api = APIS.get(api_key)
    if api is None or not api.first_version <= version <= api.last_version:
        return lambda data, offset: None
    table = make_table(api_definition(api_key, kind), version, names)
    may_be_other_version = api_key == API_VERSIONS and kind == "response"

    def scan(data: bytes, offset: int) -> ScannedBody | None:
        if may_be_other_version and is_unsupported_version(version, data, offset):
            return None
        reader = borrow_reader()
        try:
            end = reader.read(table, data, offset, MAX_ELEMENTS, False)
        except ProtocolError:
            return None
        else:
            return ScannedBody(names, reader.value, reader.errors, reader.records) if end == len(data) else None
        finally:
            give_back(reader)

    return scan
