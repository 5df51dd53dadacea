"""Compile a message's definition, for one version, into a function that reads only a part of its fields.

It gives the fields asked for and all error codes that are not zero; over the rest it passes. What a decoder refuses,
text that is not UTF-8 included, it refuses too, so that a message it reads decodes whole.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from struct import Struct
from typing import Any, NamedTuple, Protocol

from kafkasniff.protocol.compiler import FIXED_CODES, SIZES
from kafkasniff.protocol.compiler_runtime import RUNTIME
from kafkasniff.protocol.fields import Field, Message, covers, fields_of
from kafkasniff.protocol.noting_writer import NotingWriter
from kafkasniff.protocol.primitives import ARRAY_UNPACKERS, RecordsField
from kafkasniff.protocol.visitors import is_error_code

_MOSTLY_EMPTY = frozenset({"abortedTransactions", "forgottenTopicsData", "offlineReplicas", "recordErrors"})
"""Names of arrays in which there is seldom anything; what follows them is read as if there were not."""


class ScanDecoder(Protocol):
    """A compiled scan decoder: gives the fields asked for of the message at an offset, and the offset after it.

    It adds to the lists where `records` fields lie, and path and code of each error code that is not zero. Raises
    ProtocolError as a `Decoder` does.
    """

    __source__: str

    def __call__(
        self, data: bytes, offset: int, records: list[RecordsField], errors: list[tuple[str, int]], /
    ) -> tuple[dict[str, Any], int]:
        """Scan one message."""


def compile_scan_decoder(message: Message, version: int, names: frozenset[str], short: bool = False) -> ScanDecoder:
    """Give the scan decoder of one version of `message` for the fields with these names.

    A field inside a struct is given when the names of all structs around it are among them. `short`: for messages of
    at most `MAX_ELEMENTS` bytes, which cannot have more elements.
    """
    writer = _ScanWriter(covers(message.flexible, version), version, names, short)
    source = writer.function(message)
    namespace: dict[str, Any] = RUNTIME | writer.unpackers
    exec(compile(source, f"<scan decoder of {message.name} v{version}>", "exec"), namespace)
    decoder: ScanDecoder = namespace["decode"]
    decoder.__source__ = source
    return decoder


class _Optional(NamedTuple):
    """A place in what is read at once at which mostly nothing stands but an empty or null length."""

    group: list[tuple[str, str]]
    """What stands before it, with names and struct codes, the length included."""
    notes: list[str]
    """What to do with these once they are read."""
    length: int
    """Bytes of the length."""
    condition: str
    """Whether anything stands there."""
    lines: list[str]
    """Reads it, the length included."""


class _ScanWriter(NotingWriter):
    """Writes the source of a scan decoder."""

    arguments = "data, p, records, errors"

    def __init__(self, flexible: bool, version: int, names: frozenset[str], short: bool) -> None:
        super().__init__(flexible, version)
        self.counts_elements = not short
        self.names = names
        self._optional: list[_Optional] = []

    def _keeps(self, field: Field) -> bool:
        return field.name in self.names

    def _read(self, field: Field, values: dict[str, str]) -> None:
        nullable = covers(field.nullable, self.version)
        if is_error_code(field):
            code = self._field(field, nullable)
            self._note(field, code)
            if self._keeps(field):
                values[field.name] = code
        elif self._keeps(field):
            values[field.name] = self._field(field, nullable)
        else:
            names, self.names = self.names, frozenset()
            self._skip(field, nullable)
            self.names = names

    def _skip(self, field: Field, nullable: bool) -> None:
        flexible = self.flexible and field.flexible != "none"
        if (nullable and field.type == "string") or (field.is_array and (nullable or field.name in _MOSTLY_EMPTY)):
            code = "B" if flexible else "i" if field.is_array else "h"
            none = int(flexible)
            filled = f" > {none}" if nullable else f" != {none}"
            self._expect_nothing(code, filled, partial(self._skip_filled, field, nullable))
        else:
            self._skip_filled(field, nullable)

    def _skip_tags(self, gone: tuple[int, ...]) -> None:
        self._expect_nothing("B", "", partial(super()._skip_tags, gone))

    def _expect_nothing(self, code: str, filled: str, skip: Callable[[], None]) -> None:
        """Add what is mostly but a length, of which `filled` says whether anything follows; `skip` writes its read."""
        condition = f"{self._fixed(code)}{filled}"
        before, group, notes = self._optional, self._group, self._after_flush
        self._optional, self._group, self._after_flush = [], [], []
        start = len(self._source.lines)
        with self._source.block(""):
            skip()
            self._flush()
        lines = self._source.lines[start + 1 :]
        del self._source.lines[start:]
        self._optional = [*before, _Optional(group, notes, SIZES[code], condition, lines)]

    def _flush(self) -> None:
        optional, self._optional = self._optional, []
        if not optional:
            super()._flush()
            return
        groups = [part.group for part in optional] + [self._group]
        size = self._unpack([*chain.from_iterable(groups)])
        place = 0
        for number, part in enumerate(optional, 1):
            for line in part.notes:
                self._source.line(line)
            place += Struct(">" + "".join(code for _, code in part.group)).size
            with self._source.block(f"if {part.condition}:"):
                self._source.line(f"p += {place - part.length}")
                self._source.lines += part.lines
                # What follows it was read too early.
                self._unpack([*chain.from_iterable(groups[number:])])
                self._source.line(f"p -= {place}")
        self._source.line(f"p += {size}")
        self._group = []
        super()._flush()

    def _skip_filled(self, field: Field, nullable: bool) -> None:
        """Write the read of a field that is not asked for."""
        if field.is_array:
            length, there = self._length("i", "compact_length", nullable, self.flexible)
            if nullable:
                with self._source.block(f"if {there}:"):
                    self._skip_elements(field, length)
            else:
                self._skip_elements(field, length)
        elif field.fields:
            self._field(field, nullable)
        else:
            self._skip_primitive(field, nullable)

    def _skip_elements(self, field: Field, length: str) -> None:
        size = self._fixed_size(field)
        if FIXED_CODES.get(field.element_type) in ARRAY_UNPACKERS or (
            size is not None and not self.counts_elements and not _has_error_code(field)
        ):
            self._source.line(f"p += ({length}) * {size}")
            return
        # Most lists that nobody asks for are empty.
        with self._source.block(f"if {length}:"), self._loop(field, length):
            if field.fields:
                self._struct(field.fields)
            else:
                self._skip_primitive(field, nullable=False)
            self._flush()

    @contextmanager
    def _loop(self, field: Field, length: str) -> Iterator[None]:
        size = self._fixed_size(field)
        if size is not None and not self.counts_elements:
            # Where nothing is read of an element, nothing would end the loop behind the data.
            self._source.line(f"if ({length}) * {size} > end - p: raise ProtocolError('expected more bytes', p)")
        with super()._loop(field, length):
            yield

    def _fixed_size(self, field: Field) -> int | None:
        """Give the bytes of an element, None where they depend on what it is."""
        if not field.fields:
            return SIZES.get(FIXED_CODES.get(field.element_type, ""))
        size = 0
        for member in fields_of(field.fields, self.version):
            inner = self._fixed_size(member)
            if self.flexible or inner is None or member.is_array or (member.fields and member.nullable != "none"):
                return None
            size += inner
        return size

    def _skip_primitive(self, field: Field, nullable: bool) -> None:
        kind = field.element_type
        if kind in FIXED_CODES:
            self._pass(SIZES[FIXED_CODES[kind]])
        elif kind == "bytes":
            length, there = self._length("i", "compact_length", nullable, self.flexible)
            self._source.line(f"if {there}: p += {length}" if nullable else f"p += {length}")
        else:
            # Text is decoded all the same, to know that it is UTF-8.
            self._primitive(field, nullable)

    def _pass(self, size: int) -> None:
        """Add bytes to pass over to what the next `_flush` reads at once."""
        self._group.append(("", f"{size}x"))


def _has_error_code(field: Field) -> bool:
    return any(is_error_code(member) or _has_error_code(member) for member in field.fields)
