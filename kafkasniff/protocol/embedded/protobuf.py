"""Protocol Buffers' wire format, as much of it as OpenTelemetry's metrics need, read by tables of fields.

A reader of our own since the generated classes would bring in the protobuf runtime for one API's one field.
"""

from struct import Struct
from typing import Any, Final, NamedTuple

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.limits import MAX_DEPTH
from kafkasniff.protocol.primitives import base64_text, java_text, json_float

MAX_FIELDS: Final = 200_000
"""Most field values of one message and all within it: a limit on time and memory."""

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_VARINT_BYTES = 10

_FIXED: Final = {
    "fixed64": Struct("<Q"),
    "sfixed64": Struct("<q"),
    "double": Struct("<d"),
    "fixed32": Struct("<I"),
}
_WIRE_TYPES: Final = {
    "bool": _VARINT,
    "uint32": _VARINT,
    "uint64": _VARINT,
    "sint32": _VARINT,
    "int64": _VARINT,
    "fixed64": _FIXED64,
    "sfixed64": _FIXED64,
    "double": _FIXED64,
    "fixed32": _FIXED32,
}
"""Wire type by field type; what is not here is length-delimited."""


class ProtoField(NamedTuple):
    """A field of a message."""

    name: str
    """As in protobuf's JSON."""
    type: str
    """A scalar type of protobuf, or the name of a message."""
    repeated: bool = False


Schema = dict[str, dict[int, ProtoField]]
"""Fields by message and number."""


class Values:
    """How many field values may still be read."""

    __slots__ = ("left", "most")

    def __init__(self, most: int = MAX_FIELDS) -> None:
        """Allow `most`."""
        self.most = self.left = most

    @property
    def read(self) -> int:
        """Give how many were read."""
        return self.most - self.left


def read_message(
    schema: Schema, name: str, data: bytes, depth: int = MAX_DEPTH, values: Values | None = None
) -> dict[str, Any]:
    """Read a message: a dict of the fields that are there, in the order of the wire; unknown fields are passed over.

    Names are those of protobuf's JSON, 64-bit integers are numbers. Raises ProtocolError with the offset and the path
    of what is wrong, also when the message has more than `depth` levels of messages within it, or more values than
    `values` allows (`MAX_FIELDS` unless told otherwise), which counts them.
    """
    return _Reader(schema, data, depth, values or Values()).read(name, 0, len(data), "", depth)


class _Reader:
    """The state of reading one message: the fields that may still come."""

    def __init__(self, schema: Schema, data: bytes, depth: int, values: Values) -> None:
        self.schema = schema
        self.data = data
        self.depth = depth
        self.values = values

    def read(self, name: str, start: int, end: int, path: str, left: int) -> dict[str, Any]:
        if left < 0:
            raise ProtocolError(f"expected at most {self.depth} levels of messages, found more", start, path)
        fields = self.schema[name]
        message: dict[str, Any] = {}
        offset = start
        while offset < end:
            tag_at = offset
            tag, offset = self.read_varint(offset, end, path)
            number, wire_type = tag >> 3, tag & 7
            self.count(1, tag_at, path)
            field = fields.get(number)
            if field is None:
                offset = self.skip(wire_type, offset, end, path)
                continue
            inner = f"{path}.{field.name}" if path else field.name
            if field.repeated:
                values = message.setdefault(field.name, [])
                if wire_type == _LENGTH and field.type in _WIRE_TYPES:
                    stop, offset = self.read_length(offset, end, inner)
                    while offset < stop:
                        self.count(1, offset, inner)
                        value, offset = self.read_value(field, _WIRE_TYPES[field.type], offset, stop, inner, left)
                        values.append(value)
                    continue
                inner = f"{inner}[{len(values)}]"
                value, offset = self.read_value(field, wire_type, offset, end, inner, left)
                values.append(value)
            else:
                message[field.name], offset = self.read_value(field, wire_type, offset, end, inner, left)
        return message

    def count(self, fields: int, offset: int, path: str) -> None:
        self.values.left -= fields
        if self.values.left < 0:
            raise ProtocolError(f"expected at most {self.values.most} fields, found more", offset, path)

    def read_value(
        self, field: ProtoField, wire_type: int, offset: int, end: int, path: str, left: int
    ) -> tuple[Any, int]:
        expected = _WIRE_TYPES.get(field.type, _LENGTH)
        if wire_type != expected:
            raise ProtocolError(f"expected wire type {expected}, found {wire_type}", offset, path)
        if wire_type == _VARINT:
            number, offset = self.read_varint(offset, end, path)
            return _from_varint(field.type, number), offset
        if field.type in _FIXED:
            layout = _FIXED[field.type]
            if layout.size > end - offset:
                raise ProtocolError(f"expected {layout.size} bytes, found {end - offset}", offset, path)
            (value,) = layout.unpack_from(self.data, offset)
            return (json_float(value) if field.type == "double" else value), offset + layout.size
        stop, offset = self.read_length(offset, end, path)
        if field.type == "string":
            return java_text(self.data[offset:stop]), stop
        if field.type == "bytes":
            return base64_text(self.data[offset:stop]), stop
        return self.read(field.type, offset, stop, path, left - 1), stop

    def read_varint(self, offset: int, end: int, path: str) -> tuple[int, int]:
        value = 0
        for index in range(min(_VARINT_BYTES, end - offset)):
            byte = self.data[offset + index]
            value |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                return value & 0xFFFF_FFFF_FFFF_FFFF, offset + index + 1
        raise ProtocolError("expected a varint of at most 10 bytes, found no end of it", offset, path)

    def read_length(self, offset: int, end: int, path: str) -> tuple[int, int]:
        """Read a length; give the offsets of the end and of the start of what it counts."""
        length, start = self.read_varint(offset, end, path)
        if length > end - start:
            raise ProtocolError(f"expected {length} bytes, found {end - start}", offset, path)
        return start + length, start

    def skip(self, wire_type: int, offset: int, end: int, path: str) -> int:
        if wire_type == _VARINT:
            return self.read_varint(offset, end, path)[1]
        if wire_type == _LENGTH:
            return self.read_length(offset, end, path)[0]
        if wire_type not in (_FIXED64, _FIXED32):
            raise ProtocolError(f"expected a wire type of protobuf, found {wire_type}", offset, path)
        offset += 8 if wire_type == _FIXED64 else 4
        if offset > end:
            raise ProtocolError("expected a field to skip, found the end", end, path)
        return offset


def _from_varint(kind: str, number: int) -> int | bool:
    if kind == "bool":
        return number != 0
    if kind == "sint32":
        return (number >> 1) ^ -(number & 1)
    if kind == "int64" and number >> 63:
        return number - (1 << 64)
    return number
