"""Compile a message's definition, for one version, into a function that reads only a part of its fields.

It gives the fields asked for and all error codes that are not zero; over the rest it passes. What a decoder refuses,
text that is not UTF-8 included, it refuses too, so that a message it reads decodes whole.
"""

from typing import Any, Protocol

from kafkasniff.protocol.compiler import FIXED_CODES, SIZES
from kafkasniff.protocol.compiler_runtime import RUNTIME
from kafkasniff.protocol.fields import Field, Message, covers, fields_of
from kafkasniff.protocol.noting_writer import NotingWriter
from kafkasniff.protocol.primitives import ARRAY_UNPACKERS, RecordsField
from kafkasniff.protocol.visitors import is_error_code


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


class _ScanWriter(NotingWriter):
    """Writes the source of a scan decoder."""

    arguments = "data, p, records, errors"

    def __init__(self, flexible: bool, version: int, names: frozenset[str], short: bool) -> None:
        super().__init__(flexible, version)
        self.counts_elements = not short
        self.names = names

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
        size = self._passed_size(field)
        if size is not None and (not self.counts_elements or FIXED_CODES.get(field.element_type) in ARRAY_UNPACKERS):
            self._source.line(f"p += ({length}) * {size}")
            return
        # Most lists that nobody asks for are empty.
        with self._source.block(f"if {length}:"), self._loop(field, length):
            if field.fields:
                self._struct(field.fields)
            else:
                self._skip_primitive(field, nullable=False)
            self._flush()

    def _elements(self, field: Field, length: str, value: str) -> None:
        size = self._passed_size(field) if field.fields and not self.counts_elements else None
        if size is None:
            super()._elements(field, length, value)
            return
        # A loop that reads nothing would go on behind the end.
        self._source.line(f"if {length} * {size} > end - p: raise ProtocolError('expected more bytes', p)")
        self._source.line(f"{value} = [{{}} for _ in range({length})]")
        self._source.line(f"p += {length} * {size}")

    def _passed_size(self, field: Field) -> int | None:
        """Give the bytes of an element of which nothing is read; None for one of which something is."""
        if not field.fields:
            return SIZES.get(FIXED_CODES.get(field.element_type, ""))
        size = 0
        for member in fields_of(field.fields, self.version):
            inner = None if member.is_array or member.fields else self._passed_size(member)
            if self.flexible or inner is None or is_error_code(member) or self._keeps(member):
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
