# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Of a body only its error codes and a few of its fields, where it decodes whole and without a problem."""

from functools import lru_cache
from typing import Any

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.protocol.api_keys import API_VERSIONS
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.decoding import is_unsupported_version
from kafkasniff.protocol.bodies.tables import FieldTable, make_table
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import MOST_LAYOUTS, Kind
from kafkasniff.protocol.headers import response_header_version
from kafkasniff.protocol.primitives import MAX_ELEMENTS, RecordsField

if not cython.compiled:
    from kafkasniff.protocol.bodies.values import ValueReader, borrow_reader, give_back

_LONGEST_KNOWN = 1_000
"""Bytes of a body whose scan is remembered."""
_MOST_KNOWN, _MOST_BYTES = 512, 1 << 18
"""Bodies of one layout whose scans are remembered, and their bytes."""


@cython.final
@cython.freelist(64)
@cython.cclass
class ScannedBody:
    """What a scan found. The scans of equal bodies may be one and the same, so that it is not to be changed."""

    __slots__ = ("derived", "errors", "longest", "names", "records", "value")

    def __init__(
        self,
        names: frozenset[str],
        value: dict[str, Any],
        errors: list[tuple[str, int]],
        records: list[RecordsField],
        longest: int,
    ) -> None:
        """Take what was found."""
        self.names = names
        """Names of the fields asked for."""
        self.value = value
        """The fields asked for, as in the whole body."""
        self.errors = errors
        """Path and code of each error code that is not zero."""
        self.records = records
        """Where the `records` fields lie."""
        self.longest = longest
        """Characters that the longest text in `value` has at most."""
        self.derived: Any = None
        """What who asked for it has worked out of it, once for equal bodies."""


def _scanned(names: frozenset[str], reader: "ValueReader") -> ScannedBody:
    """Make one of what a reader has read, sooner than by calling the class."""
    scan = ScannedBody.__new__(ScannedBody)
    scan.names, scan.value, scan.longest = names, reader.value, reader.longest
    scan.errors, scan.records, scan.derived = reader.errors, reader.records, None
    return scan


class Scanner:
    """Scans bodies of one layout for the fields with certain names."""

    __slots__ = (
        *("_bytes", "_hits", "_known", "_may_be_other_version", "_misses", "_remembers", "_table", "_version"),
        *("begins", "names"),
    )

    def __init__(self, api_key: int, version: int, kind: Kind, names: frozenset[str]) -> None:
        """Scan for the fields called so, inside structs that are called so themselves."""
        self.names = names
        self.begins = 4 + response_header_version(api_key, version) if kind == "response" else 0
        """Where the body of a response begins, with no tagged fields in its header."""
        self._version = version
        self._known: dict[bytes, ScannedBody] = {}
        """Scans by body: heartbeats, answers without an error and Metadata are the same again and again."""
        self._bytes = 0
        """Of the bodies of which they are."""
        self._remembers = True
        """Whether bodies of this layout are worth remembering."""
        self._hits = 0
        self._misses = 0
        self._may_be_other_version = api_key == API_VERSIONS and kind == "response"
        self._table: FieldTable | None = None
        api = APIS.get(api_key)
        if api is not None and api.first_version <= version <= api.last_version:
            self._table = make_table(api_definition(api_key, kind), version, names)

    def __call__(self, data: bytes, offset: int) -> ScannedBody | None:
        """Scan the body that begins at `offset`, as `scan_body` does."""
        return self.scan(data, offset)

    def scan(self, data: bytes, offset: int) -> ScannedBody | None:
        """Scan the body that begins at `offset`, as `scan_body` does."""
        if self._table is None:
            return None
        if self._may_be_other_version and is_unsupported_version(self._version, data, offset):
            return None
        if not self._remembers or len(data) - offset > _LONGEST_KNOWN:
            return self._scan(data, offset)
        body = data[offset:]
        scan = self._known.get(body)
        if scan is not None:
            self._hits += 1
            return scan
        self._misses += 1
        scan = self._scan(data, offset)
        if self._bytes >= _MOST_BYTES or self._misses >= _MOST_KNOWN:
            self._remembers = self._hits > self._misses
            self._hits = self._misses = self._bytes = 0
            self._known.clear()
        # Where records lie depends on what comes before the body.
        if scan is not None and not scan.records:
            self._known[body] = scan
            self._bytes += len(body)
        return scan

    def _scan(self, data: bytes, offset: int) -> ScannedBody | None:
        assert self._table is not None
        reader = borrow_reader()
        try:
            end = reader.read(self._table, data, offset, MAX_ELEMENTS, False)
        except ProtocolError:
            return None
        else:
            if end != len(data):
                return None
            return _scanned(self.names, reader)
        finally:
            give_back(reader)


def scan_body(
    api_key: int, api_version: int, kind: Kind, data: bytes, offset: int, names: frozenset[str]
) -> ScannedBody | None:
    """Scan the body that begins at `offset` and should end with `data`, for the fields with these names.

    A field inside a struct is given when the names of all structs around it are among them. Gives None for a body with
    any problem, which `decode_body` tells.
    """
    return scanner_of(api_key, api_version, kind, names)(data, offset)


@lru_cache(maxsize=MOST_LAYOUTS)
def scanner_of(api_key: int, version: int, kind: Kind, names: frozenset[str]) -> Scanner:
    """Give what scans bodies as `scan_body` does."""
    return Scanner(api_key, version, kind, names)
