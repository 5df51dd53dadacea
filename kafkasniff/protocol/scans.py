"""Read of a body only its error codes and a few of its fields, where it decodes whole and without a problem."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies import is_unsupported_version
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.headers import API_VERSIONS
from kafkasniff.protocol.memory import LONGEST, Memory
from kafkasniff.protocol.primitives import RecordsField
from kafkasniff.protocol.scan_compiler import compile_scan_decoder


@dataclass(slots=True, eq=False)
class ScannedBody:
    """What a scan found. Equal messages may share one: it is not to be changed."""

    names: frozenset[str]
    """Names of the fields asked for."""
    value: dict[str, Any]
    """The fields asked for, as in the whole body."""
    errors: list[tuple[str, int]]
    """Path and code of each error code that is not zero."""
    records: list[RecordsField]
    """Where the `records` fields lie."""
    seen_again: bool = False
    """True once an equal body came."""


def scan_body(
    api_key: int, api_version: int, kind: Kind, data: bytes, offset: int, names: frozenset[str]
) -> ScannedBody | None:
    """Scan the body that begins at `offset` and should end with `data`, for the fields with these names.

    Gives None for a body with any problem, which `decode_body` tells.
    """
    if api_key == API_VERSIONS and kind == "response" and is_unsupported_version(api_version, data, offset):
        return None
    scanner = _scanner(api_key, api_version, kind, names)
    return scanner.scan(data, offset) if scanner is not None else None


class _Scanner:
    """Scans bodies of one layout."""

    __slots__ = ("_decode", "_memory", "_names")

    def __init__(self, api_key: int, version: int, kind: Kind, names: frozenset[str]) -> None:
        self._decode = compile_scan_decoder(api_definition(api_key, kind), version, names)
        self._names = names
        self._memory: Memory[ScannedBody] = Memory()

    def scan(self, data: bytes, offset: int) -> ScannedBody | None:
        body = b""
        if self._memory.worthwhile and len(data) - offset <= LONGEST:
            body = data[offset:]
            known = self._memory.get(body)
            if known is not None:
                known.seen_again = True
                return known
        records: list[RecordsField] = []
        errors: list[tuple[str, int]] = []
        try:
            value, end = self._decode(data, offset, records, errors)
        except ProtocolError:
            return None
        if end != len(data):
            return None
        found = ScannedBody(self._names, value, errors, records)
        if body and not records:
            self._memory.put(body, found)
        return found


@cache
def _scanner(api_key: int, version: int, kind: Kind, names: frozenset[str]) -> _Scanner | None:
    api = APIS.get(api_key)
    if api is None or not api.first_version <= version <= api.last_version:
        return None
    return _Scanner(api_key, version, kind, names)
