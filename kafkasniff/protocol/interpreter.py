"""Decode a message field by field, straight from its definition.

Slow beside the compiled decoders, but it knows where it is: it gives what there is of a message that does not decode,
with path and offset of the field that failed, and it can list every field with the bytes it came from.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Field, JsonValue, Message, covers, fields_of
from kafkasniff.protocol.primitives import (
    MAX_ELEMENTS,
    MAX_STRING_BYTES,
    UUID_TEXTS,
    RecordsField,
    base64_text,
    java_text,
    json_float,
    read_unsigned_varint,
)

INTERPRETED_SHARE: Final = 10
"""Which part of the elements that a message may have is interpreted: a limit on time, about a second's worth."""
MAX_INTERPRETED_ELEMENTS: Final = MAX_ELEMENTS // INTERPRETED_SHARE
"""Most array elements of one message, arrays of integers not counted."""


class TracedField(NamedTuple):
    """A field with the bytes it came from. Without gaps, in wire order, these make up the message."""

    path: str
    offset: int
    length: int
    """Bytes, with the length that stands before the value. An array's own entry is its count, but for integers all."""
    value: JsonValue
    """As in Kafka's JSON; of an array whose elements have entries of their own, the count of them."""


@dataclass(slots=True)
class Interpretation:
    """What the interpreter made of a message."""

    value: dict[str, Any] = field(default_factory=dict)
    """The message, or what there is of it."""
    end: int = 0
    """Offset after the last byte that was read."""
    error: ProtocolError | None = None
    """Why the message is not whole; None when it is."""
    records: list[RecordsField] = field(default_factory=list)
    malformed_texts: list[tuple[int, str]] = field(default_factory=list)
    """Offset and path of strings that are not UTF-8."""


def interpret(
    message: Message, version: int, data: bytes, offset: int = 0, most_elements: int = MAX_INTERPRETED_ELEMENTS
) -> Interpretation:
    """Decode the message that begins at `offset`, up to `most_elements` array elements; never raises for any data."""
    interpreter = _Interpreter(message, version, data, offset, None)
    interpreter.most_elements = interpreter.elements_left = most_elements
    return interpreter.run(message)


def fits(message: Message, version: int, data: bytes, offset: int) -> bool:
    """Tell whether all from `offset` on is that message and its text is UTF-8: quickly, where it is not."""
    interpreter = _Interpreter(message, version, data, offset, None)
    interpreter.only_utf8 = True
    result = interpreter.run(message)
    return result.error is None and result.end == len(data)


def trace(message: Message, version: int, data: bytes, offset: int = 0) -> list[TracedField]:
    """List every field of the message that begins at `offset`, as far as it decodes."""
    traced: list[TracedField] = []
    _Interpreter(message, version, data, offset, traced).run(message)
    return traced


class _Interpreter:
    """The state of one decoding: where it is in the data and in the definition."""

    def __init__(
        self, message: Message, version: int, data: bytes, offset: int, traced: list[TracedField] | None
    ) -> None:
        self.data = data
        self.offset = offset
        self.version = version
        self.flexible = covers(message.flexible, version)
        self.path = ""
        self.most_elements = self.elements_left = MAX_INTERPRETED_ELEMENTS
        self.traced = traced
        self.only_utf8 = False
        self.result = Interpretation()

    def run(self, message: Message) -> Interpretation:
        try:
            self.read_fields(message.fields, self.result.value)
        except ProtocolError as error:
            # Not the one that was raised: its traceback would keep this object, and all of its callers' data.
            self.result.error = ProtocolError(error.message, error.offset, error.path)
        self.result.end = self.offset
        return self.result

    def fail(self, expected: str, offset: int) -> ProtocolError:
        left = max(len(self.data) - offset, 0)
        return ProtocolError(f"expected {expected}, found {left} bytes left", offset, self.path)

    def note(self, offset: int, value: JsonValue) -> None:
        if self.traced is not None:
            self.traced.append(TracedField(self.path, offset, self.offset - offset, value))

    def read_fields(self, fields: tuple[Field, ...], into: dict[str, Any]) -> None:
        """Read the fields of a message or struct into the dict that its parent holds already."""
        outer = self.path
        prefix = f"{outer}." if outer else ""
        present = fields_of(fields, self.version)
        for member in present:
            if not covers(member.tagged, self.version):
                self.path = prefix + member.name
                self.read_field(member, into, covers(member.nullable, self.version))
        if self.flexible:
            self.read_tagged_fields(fields, into, prefix)
        self.path = outer

    def read_tagged_fields(self, fields: tuple[Field, ...], into: dict[str, Any], prefix: str) -> None:
        """Read the tagged fields (KIP-482): known ones in place whatever their stated size, as Kafka does."""
        # A tag may stand twice, for different versions; the one of this version wins.
        candidates = (*fields, *fields_of(fields, self.version))
        by_tag = {member.tag: member for member in candidates if member.tag is not None}
        self.path = f"{prefix}taggedFields"
        start = self.offset
        count = self.read_varint("a count of tagged fields")
        self.note(start, count)
        seen = False
        for index in range(count):
            self.path = f"{prefix}taggedFields[{index}]"
            self.count_element()
            start = self.offset
            tag = self.read_varint("a tag")
            size = self.read_varint("the size of a tagged field")
            self.note(start, tag)
            member = by_tag.get(tag)
            if member is None:
                self.skip(size, tag)
                continue
            if not (covers(member.tagged, self.version) and covers(member.versions, self.version)):
                raise ProtocolError(f"expected no tag {tag} in version {self.version}, found it", start, self.path)
            self.path = prefix + member.name
            self.read_tagged_field(member, into)
            seen = True
        if seen:
            self.order_fields(fields, into)

    def skip(self, size: int, tag: int) -> None:
        start = self.offset
        if not 0 <= size <= len(self.data) - start:
            raise self.fail(f"{size} bytes of the unknown tag {tag}", start)
        self.offset += size
        self.path += ".bytes"
        self.note(start, base64_text(self.data[start : self.offset]))

    def read_tagged_field(self, member: Field, into: dict[str, Any]) -> None:
        nullable = covers(member.nullable, self.version)
        if member.fields and not member.is_array and nullable:
            start = self.offset
            marker = self.read_varint("a null marker")
            self.note(start, marker)
            if marker <= 0:
                into[member.name] = None
                return
            nullable = False
        self.read_field(member, into, nullable)

    def order_fields(self, fields: tuple[Field, ...], into: dict[str, Any]) -> None:
        """Put tagged fields in their place as Kafka's JSON has it, and drop those that hold their default."""
        ordered = {}
        for member in fields_of(fields, self.version):
            name = member.name
            if name not in into:
                name = f"{name}SizeInBytes"
            if name not in into:
                continue
            if not covers(member.tagged, self.version) or into[name] != member.json_default(self.version):
                ordered[name] = into[name]
        into.clear()
        into.update(ordered)

    def read_field(self, member: Field, into: dict[str, Any], nullable: bool) -> None:
        if member.is_array:
            self.read_array(member, into, nullable)
        elif member.fields:
            self.read_struct(member, into, nullable)
        else:
            start = self.offset
            value = _READERS.get(member.type, _Interpreter.read_number)(self, member)
            if value is None and not nullable:
                raise ProtocolError(f"expected {member.type}, found null", start, self.path)
            name = f"{member.name}SizeInBytes" if member.type == "records" and value is not None else member.name
            into[name] = value
            self.note(start, value)

    def read_struct(self, member: Field, into: dict[str, Any], nullable: bool) -> None:
        if nullable:
            # An int8 stands before a nullable struct, flexible or not (MessageDataGenerator).
            start = self.offset
            marker = self.read_int("b", 1, "a null marker")
            self.note(start, marker)
            if marker < 0:
                into[member.name] = None
                return
        inner: dict[str, Any] = {}
        into[member.name] = inner
        self.read_fields(member.fields, inner)

    def read_array(self, member: Field, into: dict[str, Any], nullable: bool) -> None:
        start = self.offset
        count = self.read_length("i", 4, f"an array of {member.element_type}", self.flexible)
        if count < 0:
            if not nullable:
                raise ProtocolError("expected an array, found null", start, self.path)
            into[member.name] = None
            self.note(start, None)
            return
        # Kafka refuses more elements than there are bytes left, before it allocates them.
        if count > len(self.data) - self.offset:
            raise self.fail(f"an array of {count} {member.element_type}", start)
        items: list[Any] = []
        into[member.name] = items
        if member.element_type in INTEGERS:
            self.read_integers(member.element_type, items, count)
            self.note(start, items)
            return
        self.note(start, count)
        self.read_elements(member, items, count)

    def read_integers(self, kind: str, items: list[Any], count: int) -> None:
        """Read the integers of an array, or those that are there."""
        code, size = NUMBERS[kind]
        there = min(count, (len(self.data) - self.offset) // size)
        items += struct.unpack_from(f">{there}{code}", self.data, self.offset)
        self.offset += there * size
        if there < count:
            self.path = f"{self.path}[{there}]"
            raise self.fail(f"{kind} of {size} bytes", self.offset)

    def read_elements(self, member: Field, items: list[Any], count: int) -> None:
        outer = self.path
        element = Field(member.name, member.element_type, member.versions)
        for index in range(count):
            self.path = f"{outer}[{index}]"
            self.count_element()
            inner: dict[str, Any] = {}
            if member.fields:
                items.append(inner)
                self.read_fields(member.fields, inner)
            else:
                self.read_field(element, inner, nullable=False)
                items.append(inner[member.name])
        self.path = outer

    def count_element(self) -> None:
        """Count an element of an array, or a tagged field: of both two bytes may be all there is."""
        self.elements_left -= 1
        if self.elements_left < 0:
            message = f"expected at most {self.most_elements} array elements in a message shown in part"
            raise ProtocolError(message, self.offset, self.path)

    def read_varint(self, expected: str) -> int:
        start = self.offset
        try:
            value, self.offset = read_unsigned_varint(self.data, start)
        except IndexError:
            raise self.fail(expected, start) from None
        except ProtocolError as error:
            raise ProtocolError(error.message, start, self.path) from None
        return value

    def read_int(self, code: str, size: int, expected: str) -> Any:
        try:
            (value,) = struct.unpack_from(f">{code}", self.data, self.offset)
        except struct.error:
            raise self.fail(f"{expected} of {size} bytes", self.offset) from None
        self.offset += size
        return value

    def read_length(self, code: str, size: int, expected: str, flexible: bool) -> int:
        """Read a length or count; negative means null."""
        if flexible:
            return self.read_varint(f"the length of {expected}") - 1
        return int(self.read_int(code, size, f"the length of {expected}"))

    def read_raw(self, length: int, expected: str) -> bytes:
        if length > len(self.data) - self.offset:
            raise self.fail(f"{expected} of {length} bytes", self.offset)
        start = self.offset
        self.offset += length
        return self.data[start : self.offset]

    def read_string(self, member: Field) -> str | None:
        start = self.offset
        flexible = self.flexible and member.flexible != "none"
        length = self.read_length("h", 2, "a string", flexible)
        if length < 0:
            return None
        if length > MAX_STRING_BYTES:
            message = f"expected a string of at most {MAX_STRING_BYTES} bytes, found a length of {length}"
            raise ProtocolError(message, start, self.path)
        raw = self.read_raw(length, "a string")
        try:
            return raw.decode()
        except UnicodeDecodeError:
            if self.only_utf8:
                raise self.fail("UTF-8", start) from None
            self.result.malformed_texts.append((start, self.path))
            return java_text(raw)

    def read_bytes(self, member: Field) -> str | None:
        length = self.read_length("i", 4, "bytes", self.flexible)
        return None if length < 0 else base64_text(self.read_raw(length, "bytes"))

    def read_records(self, member: Field) -> int | None:
        length = self.read_length("i", 4, "records", self.flexible)
        if length < 0:
            return None
        if length > len(self.data) - self.offset:
            raise self.fail(f"records of {length} bytes", self.offset)
        self.result.records.append(RecordsField(self.path, self.offset, self.offset + length))
        self.offset += length
        return length

    def read_uuid(self, member: Field) -> str:
        return UUID_TEXTS[self.read_raw(16, "a uuid")]

    def read_number(self, member: Field) -> JsonValue:
        code, size = NUMBERS[member.type]
        value = self.read_int(code, size, member.type)
        if member.type == "float64":
            return json_float(value)
        # Any byte but zero is true.
        return bool(value) if member.type == "bool" else int(value)


NUMBERS = {
    "bool": ("b", 1),
    "int8": ("b", 1),
    "int16": ("h", 2),
    "uint16": ("H", 2),
    "int32": ("i", 4),
    "uint32": ("I", 4),
    "int64": ("q", 8),
    "float64": ("d", 8),
}
"""Struct code and bytes of each type of number."""

INTEGERS = frozenset(NUMBERS) - {"bool", "float64"}


_READERS: dict[str, Callable[[_Interpreter, Field], JsonValue]] = {
    "string": _Interpreter.read_string,
    "bytes": _Interpreter.read_bytes,
    "records": _Interpreter.read_records,
    "uuid": _Interpreter.read_uuid,
}
