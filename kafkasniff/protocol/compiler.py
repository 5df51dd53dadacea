"""Compile a message's definition, for one version, into one specialised Python function.

Everything of the message stands in that one function. Adjacent fields of fixed size, and the length of what follows
them, are read by one `unpack_from`; strings, arrays and structs inline.

Slices of bytes do not fail when they are short, so a decoder checks once, at its end, that it did not run past the
data. On the way there every count is bounded by the bytes left, so that nothing large is built first.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from struct import Struct
from typing import Any, Protocol

from kafkasniff.protocol.compiler_runtime import RUNTIME
from kafkasniff.protocol.fields import Field, Message, covers, fields_of
from kafkasniff.protocol.primitives import ARRAY_UNPACKERS, MAX_ELEMENTS, RecordsField
from kafkasniff.protocol.source_lines import SourceLines


class Decoder(Protocol):
    """A compiled decoder: gives the message at an offset of the data, and the offset after it.

    It adds to the list where `records` fields lie; `left` is how many array elements and tagged fields the message may
    have. Raises ProtocolError, without a path, for all that does not decode, text that is not UTF-8 included.
    """

    __source__: str

    def __call__(
        self, data: bytes, offset: int, records: list[RecordsField], left: int = MAX_ELEMENTS, /
    ) -> tuple[dict[str, Any], int]:
        """Decode one message."""


def compile_decoder(message: Message, version: int) -> Decoder:
    """Give the decoder of one version of `message`."""
    writer = DecoderWriter(covers(message.flexible, version), version)
    source = writer.function(message)
    namespace: dict[str, Any] = RUNTIME | writer.unpackers
    exec(compile(source, f"<decoder of {message.name} v{version}>", "exec"), namespace)
    decoder: Decoder = namespace["decode"]
    decoder.__source__ = source
    return decoder


FIXED_CODES = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "float64": "d",
    "uuid": "16s",
}
"""Struct code of each type of fixed size."""

FIXED_TEXTS = {"float64": "json_float", "uuid": "uuid_text"}
"""Function that gives the value in Kafka's JSON, where it is not the number itself."""

LENGTH_CODES = {"string": "h", "bytes": "i", "records": "i"}
"""Struct code of the length where it is not compact."""

SIZES = {"?": 1, "b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "d": 8, "16s": 16}
"""Bytes of each struct code."""


class DecoderWriter:
    """The source of one function while it is written.

    In that source `data` is the buffer, `end` its length, `p` the place to read at, `left` how many elements may come.
    The methods that write the read of a value give the expression that it then has; whoever uses the expression calls
    `_flush` first.
    """

    arguments = "data, p, records"
    """Of the function."""

    counts_elements = True
    """Whether it bounds the elements of arrays before it reads them."""

    def __init__(self, flexible: bool, version: int) -> None:
        """Write for one version, with compact lengths and tagged fields where it is `flexible`."""
        self.flexible = flexible
        self.version = version
        self.unpackers: dict[str, Any] = {}
        self._source = SourceLines(2)
        self._group: list[tuple[str, str]] = []
        self._path = ""

    def function(self, message: Message) -> str:
        """Give the source of the function that decodes `message`."""
        value = self._struct(message.fields)
        self._flush()
        return "\n".join(
            (
                f"def decode({self.arguments}, left=MAX_ELEMENTS):",
                "    end = len(data)",
                "    try:",
                *self._source.lines,
                f"        value = {value}",
                "    except NOT_DECODED as error:",
                "        raise ProtocolError(str(error), p) from None",
                "    if p > end:",
                "        raise ProtocolError('expected more bytes, found the end', end)",
                "    return value, p",
                "",
            )
        )

    def _fixed(self, code: str) -> str:
        """Add a value of fixed size to those that the next `_flush` reads at once; give its variable."""
        name = self._source.name("v")
        self._group.append((name, code))
        return name

    def _flush(self) -> None:
        if not self._group:
            return
        codes = "".join(code for _, code in self._group)
        names = [name for name, _ in self._group if name]
        layout = Struct(">" + codes)
        if names and codes[-1] == "B" and len(names) == 1:
            self._source.line(
                f"{names[0]} = data[p + {layout.size - 1}]" if len(codes) > 1 else f"{names[0]} = data[p]"
            )
        elif names:
            unpack = f"unpack_{codes}".replace("?", "bool")
            self.unpackers[unpack] = layout.unpack_from
            self._source.line(f"({', '.join(names)},) = {unpack}(data, p)")
        self._source.line(f"p += {layout.size}")
        self._group.clear()

    def _length(self, code: str, longer: str, nullable: bool, flexible: bool) -> tuple[str, str]:
        """Write the read of a length; give its expression, and the condition that the value is not null.

        A compact length is read as a byte at first; `longer` names the function for one of several bytes.
        """
        if not flexible:
            length = self._fixed(code)
            self._flush()
            if not nullable:
                self._source.line(f"if {length} < 0: raise ProtocolError('expected a value, found null', p)")
            return length, f"{length} >= 0"
        length = self._fixed("B")
        self._flush()
        if nullable:
            self._source.line(f"if {length} > 127: {length}, p = {longer}(data, p)")
        else:
            self._source.line(f"if not 0 < {length} < 128: {length}, p = required_{longer}(data, p)")
        return f"{length} - 1", length

    # Structs

    def _struct(self, fields: tuple[Field, ...]) -> str:
        values: dict[str, str] = {}
        for field in fields_of(fields, self.version):
            if not covers(field.tagged, self.version):
                self._read(field, values)
        present = fields_of(fields, self.version)
        if not self.flexible:
            return self._literal(present, values)
        count = self._fixed("B")
        self._flush()
        tagged = [field for field in present if covers(field.tagged, self.version)]
        gone = tuple(field.tag for field in fields if field.tag is not None and field not in tagged)
        if tagged:
            return self._tagged_struct(present, values, count, gone)
        self._source.line(f"if {count}: p, left = skip_tag_section(data, p, {gone}, left)")
        return self._literal(present, values)

    def _read(self, field: Field, values: dict[str, str]) -> None:
        """Write the read of a field of a struct into `values`."""
        values[field.name] = self._field(field, covers(field.nullable, self.version))

    def _keeps(self, field: Field) -> bool:
        """Tell whether the function gives the values of a field."""
        del field
        return True

    def _literal(self, fields: tuple[Field, ...], values: dict[str, str]) -> str:
        items = (f"{_key(field, values[field.name])}: {values[field.name]}" for field in fields if field.name in values)
        return f"{{{', '.join(items)}}}"

    def _tagged_struct(
        self, present: tuple[Field, ...], values: dict[str, str], count: str, gone: tuple[int, ...]
    ) -> str:
        """Write the read of known tagged fields: in place whatever their stated size, as Kafka does."""
        tagged = {field: self._source.name("v") for field in present if covers(field.tagged, self.version)}
        value = self._source.name("v")
        with self._source.block(f"if {count}:"):
            for variable in tagged.values():
                self._source.line(f"{variable} = ...")
            self._source.line(f"{count}, p = read_unsigned_varint(data, p - 1)")
            # Two bytes may be all there is of a tagged field, as of an element.
            self._source.line(f"left -= max({count}, 0)")
            self._source.line("if left < 0: raise ProtocolError('expected fewer tagged fields', p)")
            with self._source.block(f"for _ in range({count}):"):
                self._source.line("tag, p = read_unsigned_varint(data, p)")
                self._source.line("size, p = read_unsigned_varint(data, p)")
                for field, variable in tagged.items():
                    with self._source.block(f"if tag == {field.tag}:"):
                        expression = self._tagged_field(field)
                        self._flush()
                        self._source.line(f"{variable} = {expression}")
                        self._source.line("continue")
                self._source.line(f"p = skip_tagged_field(data, p, tag, size, {gone})")
            self._source.line(f"{value} = {{}}")
            for field in filter(self._keeps, present):
                expression = tagged.get(field) or values[field.name]
                # A tagged field that was not sent holds its default, and such are not in Kafka's JSON.
                unless = (
                    f"if {expression} not in (..., {field.json_default(self.version)!r}): " if field in tagged else ""
                )
                self._source.line(f"{unless}{value}[{_key(field, expression)}] = {expression}")
        self._source.line(f"else: {value} = {self._literal(present, values)}")
        return value

    def _tagged_field(self, field: Field) -> str:
        nullable = covers(field.nullable, self.version)
        if not (field.fields and not field.is_array and nullable):
            return self._field(field, nullable)
        # A varint stands before a nullable struct that is tagged, an int8 before others (MessageDataGenerator).
        self._source.line("size, p = read_unsigned_varint(data, p)")
        return self._nullable_struct(field, "size > 0")

    def _nullable_struct(self, field: Field, there: str) -> str:
        value = self._source.name("v")
        self._source.line(f"{value} = None")
        with self._source.block(f"if {there}:"):
            expression = self._plain_struct(field)
            self._flush()
            self._source.line(f"{value} = {expression}")
        return value

    def _plain_struct(self, field: Field) -> str:
        outer, self._path = self._path, f"{self._path}{field.name}."
        expression = self._struct(field.fields)
        self._path = outer
        return expression

    # Fields

    def _field(self, field: Field, nullable: bool) -> str:
        if field.is_array:
            return self._array(field, nullable)
        if field.fields:
            if not nullable:
                return self._plain_struct(field)
            marker = self._fixed("b")
            self._flush()
            return self._nullable_struct(field, f"{marker} >= 0")
        return self._primitive(field, nullable)

    def _primitive(self, field: Field, nullable: bool) -> str:
        kind = field.element_type
        if kind in FIXED_CODES:
            value = self._fixed(FIXED_CODES[kind])
            return f"{FIXED_TEXTS[kind]}({value})" if kind in FIXED_TEXTS else value
        if kind == "string":
            return self._string(field, nullable)
        length, there = self._length("i", "compact_length", nullable, self.flexible)
        value = self._source.name("v")
        if kind == "bytes":
            read = f"base64_text(data[p:(p := p + {length})])"
            self._source.line(f"{value} = {read} if {there} else None" if nullable else f"{value} = {read}")
            return value
        self._source.line(f"{value} = None")
        with self._source.block(f"if {there}:"):
            self._source.line(f"{value} = {length}")
            self._source.line(f'records.append(RecordsField(f"{self._path}{field.name}", p, p := p + {value}))')
        return value

    def _string(self, field: Field, nullable: bool) -> str:
        flexible = self.flexible and field.flexible != "none"
        length, there = self._length("h", "string_length", nullable, flexible)
        value = self._source.name("v")
        read = f"data[p:(p := p + {length})].decode()"
        self._source.line(f"{value} = {read} if {there} else None" if nullable else f"{value} = {read}")
        return value

    def _array(self, field: Field, nullable: bool) -> str:
        length, there = self._length("i", "compact_length", nullable, self.flexible)
        value = self._source.name("v")
        if not nullable:
            self._elements(field, length, value)
            return value
        self._source.line(f"{value} = None")
        with self._source.block(f"if {there}:"):
            self._elements(field, length, value)
        return value

    def _elements(self, field: Field, length: str, value: str) -> None:
        """Write the read of an array's elements into the list `value`."""
        code = FIXED_CODES.get(field.element_type, "")
        if code in ARRAY_UNPACKERS:
            size = f" * {SIZES[code]}" if SIZES[code] > 1 else ""
            self._source.line(f"{value} = [*unpack_array_{code}[{length}](data, p)]")
            self._source.line(f"p += ({length}){size}")
            return
        self._source.line(f"{value} = []")
        with self._loop(field, length):
            expression = self._struct_element(field) if field.fields else self._primitive(field, nullable=False)
            self._flush()
            self._source.line(f"{value}.append({expression})")

    def _struct_element(self, field: Field) -> str:
        """Write the read of an element that is a struct."""
        return self._struct(field.fields)

    @contextmanager
    def _loop(self, field: Field, length: str) -> Iterator[None]:
        """Write the loop over an array's elements; what is added inside reads one."""
        if self.counts_elements:
            # Kafka refuses more elements than there are bytes left; none of its elements is empty.
            smallest = _least_size(field, self.version, self.flexible)
            refuse = "raise ProtocolError('expected as many elements as there are bytes', p)"
            self._source.line(f"if ({length}) * {smallest} > end - p: {refuse}")
            self._source.line(f"left -= {length}")
            self._source.line("if left < 0: raise ProtocolError('expected fewer array elements', p)")
        index = self._source.name("i")
        outer, self._path = self._path, f"{self._path}{field.name}[{{{index}}}]."
        with self._source.block(f"for {index} in range({length}):"):
            yield
        self._path = outer


def _key(field: Field, value: str) -> str:
    """Give the expression of a field's key: for `records` it depends on the value."""
    if field.type == "records":
        return f'"{field.name}" if {value} is None else "{field.name}SizeInBytes"'
    return f'"{field.name}"'


def _least_size(field: Field, version: int, flexible: bool) -> int:
    """Give the fewest bytes that an element of the array `field`, or a field, takes in a version."""
    if not field.fields:
        kind = field.element_type
        if kind in FIXED_CODES:
            return SIZES[FIXED_CODES[kind]]
        return 1 if flexible else SIZES[LENGTH_CODES[kind]]
    size = int(flexible)
    for member in fields_of(field.fields, version):
        if not covers(member.tagged, version):
            if member.is_array:
                size += 1 if flexible else 4
            elif member.fields and covers(member.nullable, version):
                size += 1
            else:
                size += _least_size(member, version, flexible)
    return size
