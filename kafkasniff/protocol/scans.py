"""Read of a body only its error codes and a few of its fields, where it decodes whole and without a problem."""

from collections.abc import Callable
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
from kafkasniff.protocol.primitives import MAX_ELEMENTS, RecordsField
from kafkasniff.protocol.scan_compiler import ScanDecoder, compile_scan_decoder


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
    return scanner_of(api_key, api_version, kind, names)(data, offset)


Scanner = Callable[[bytes, int], ScannedBody | None]
"""Scans bodies of one layout from an offset on."""


@cache
def scanner_of(api_key: int, version: int, kind: Kind, names: frozenset[str]) -> Scanner:
    """Give what scans bodies as `scan_body` does."""
    api = APIS.get(api_key)
    if api is None or not api.first_version <= version <= api.last_version:
        return lambda data, offset: None
    message = api_definition(api_key, kind)
    decode_short = compile_scan_decoder(message, version, names, short=True)
    memory: Memory[ScannedBody] = Memory()
    may_be_other_version = api_key == API_VERSIONS and kind == "response"

    @cache
    def long_decoder() -> ScanDecoder:
        return compile_scan_decoder(message, version, names)

    def scan(data: bytes, offset: int) -> ScannedBody | None:
        if may_be_other_version and is_unsupported_version(version, data, offset):
            return None
        body = b""
        if memory.worthwhile and len(data) - offset <= LONGEST:
            body = data[offset:]
            known = memory.get(body)
            if known is not None:
                known.seen_again = True
                return known
        records: list[RecordsField] = []
        errors: list[tuple[str, int]] = []
        try:
            decode = decode_short if len(data) <= MAX_ELEMENTS else long_decoder()
            value, end = decode(data, offset, records, errors)
        except ProtocolError:
            return None
        if end != len(data):
            return None
        found = ScannedBody(names, value, errors, records)
        if body and not records:
            memory.put(body, found)
        return found

    return scan
