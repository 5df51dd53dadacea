"""One message of a call with its values traced, and where in its bytes everything stands."""

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, Final

from kafkasniff.protocol.bodies.offsets import TracedField, trace
from kafkasniff.protocol.bodies.scanning import ScannedBody
from kafkasniff.protocol.bodies.tables import is_error_code
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.fields import Field, Kind, covers, fields_of
from kafkasniff.protocol.records.layout import MAGIC_2, MAGIC_AT
from kafkasniff.render.traced import Place, Trace, Traced, TracedNumber, TracedText, UntraceableError

NUMBERS: Final = {
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

INTEGERS: Final = frozenset(NUMBERS) - {"bool", "float64"}

_CODEC_AT: Final = 22
"""Position in a batch of magic 2 of the byte of its attributes with the codec."""

_RECORD_COUNT_AT: Final = 57
"""Position of the record count."""

_INDEX = re.compile(r"\[[0-9]+\]")

Span = tuple[int, int]
"""Offset in the frame's content, and length."""


@dataclass(slots=True)
class CarriedBatch:
    """The one record batch of a message; its records may be of any length."""

    size_at: Span
    """Of the length that stands before it."""
    compact: bool
    """Whether that length is a varint."""
    start: int
    end: int
    size: TracedNumber
    attributes: TracedNumber
    """The byte with the codec."""
    record_count: TracedNumber


@dataclass(slots=True)
class TracedMessage:
    """What is known of the bytes of a message; those of no span and no value are structure, or fixed."""

    side: Kind
    data: bytes
    start: int
    """Of a request's body, or of a whole response, whose correlation id tells nothing."""
    value: dict[str, Any] = field(default_factory=dict)
    """As scanned, with the numbers and strings traced."""
    values: list[Traced] = field(default_factory=list)
    unread: list[Span] = field(default_factory=list)
    """Of numbers that the text cannot depend on."""
    unread_strings: list[Span] = field(default_factory=list)
    batch: CarriedBatch | None = None
    counts_at: Span = (0, 0)
    """Counts and lengths that stand next to each other before the first value of variable length."""


def trace_message(
    notes: Trace, side: Kind, layout: tuple[int, int], data: bytes, start: int, scan: ScannedBody
) -> TracedMessage:
    """Trace the message whose body was scanned; `layout`: API key and version. Raises UntraceableError."""
    definition = api_definition(layout[0], side)
    message = TracedMessage(side, data, start if side == "request" else 0, _copy(scan.value))
    if side == "response":
        message.unread.append((0, 4))
    entries = trace(definition, layout[1], data, start)
    types = _fields_by_path(layout[0], layout[1], side)
    flexible = covers(definition.flexible, layout[1])
    for entry in entries:
        if entry.path.endswith("taggedFields") and entry.value == 0:
            continue
        member = types.get(_path(entry.path)[0])
        if member is None or covers(member.tagged, layout[1]):
            # Of tagged fields, the known ones that hold their default are left out of the value.
            raise UntraceableError
        _trace_field(notes, message, entry, member, flexible)
    message.counts_at = _counts_at(entries, types)
    return message


def _trace_field(notes: Trace, message: TracedMessage, entry: TracedField, member: Field, flexible: bool) -> None:
    path, offset, length, value = entry
    is_element = path.endswith("]")
    if member.is_array and not is_element:
        if isinstance(value, list) and value and _holder(message.value, path) is None:
            prefix = length - len(value) * NUMBERS[member.element_type][1]
            message.unread.append((offset + prefix, length - prefix))
    elif member.type == "records" and isinstance(value, int) and value:
        _trace_records(notes, message, entry, flexible)
    elif member.element_type in INTEGERS and isinstance(value, int) and not is_error_code(member):
        place = Place(message.side, offset, length, NUMBERS[member.element_type][0])
        if not _put(message, path, TracedNumber(notes, place, value)):
            message.unread.append((offset, length))
    elif member.element_type == "string" and isinstance(value, str) and value:
        size = len(value.encode())
        place = Place(message.side, offset + length - size, size, "")
        if not _put(message, path, TracedText(notes, place, value)):
            message.unread_strings.append((place.offset, size))


def _trace_records(notes: Trace, message: TracedMessage, entry: TracedField, flexible: bool) -> None:
    path, offset, length, value = entry
    assert isinstance(value, int)
    end = offset + length
    start = end - value
    data = message.data
    sound = value >= MAGIC_2.size and data[start + MAGIC_AT] == 2
    if message.batch is not None or not sound or int.from_bytes(data[start + 8 : start + 12], "big") != value - 12:
        raise UntraceableError
    size = TracedNumber(notes, Place(message.side, offset, start - offset, "size"), value)
    codec_at, count_at = start + _CODEC_AT, start + _RECORD_COUNT_AT
    attributes = TracedNumber(notes, Place(message.side, codec_at, 1, "B"), data[codec_at])
    count = int.from_bytes(data[count_at : count_at + 4], "big", signed=True)
    record_count = TracedNumber(notes, Place(message.side, count_at, 4, "i"), count)
    message.batch = CarriedBatch((offset, start - offset), flexible, start, end, size, attributes, record_count)
    if not _put(message, f"{path}SizeInBytes", size):
        raise UntraceableError
    message.values += [attributes, record_count]


def _put(message: TracedMessage, path: str, value: Traced) -> bool:
    """Put a traced value in the place of the plain one; False where the gist does not look at it."""
    holder = _holder(message.value, path)
    if holder is None:
        return False
    holder[_path(path)[1][-1]] = value
    message.values.append(value)
    return True


def _holder(value: dict[str, Any], path: str) -> Any:
    """Give the dict or list that holds what is at a path; None where nothing is."""
    steps = _path(path)[1]
    holder: Any = value
    try:
        for step in steps[:-1]:
            holder = holder[step]
        _ = holder[steps[-1]]
    except (KeyError, TypeError):
        return None
    return holder


@lru_cache(maxsize=4096)
def _path(path: str) -> tuple[str, tuple[str | int, ...]]:
    """Give a path with `[]` for every index, and its steps."""
    steps = path.replace("]", "").replace("[", ".").split(".")
    return _INDEX.sub("[]", path), tuple(int(step) if step.isdecimal() else step for step in steps)


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copy(member) for name, member in value.items()}
    return [_copy(element) for element in value] if isinstance(value, list) else value


@cache
def _fields_by_path(api_key: int, version: int, side: Kind) -> dict[str, Field]:
    """Give the fields of a message by their paths, with `[]` for every index."""
    found: dict[str, Field] = {}

    def add(fields: tuple[Field, ...], prefix: str) -> None:
        for member in fields_of(fields, version):
            path = prefix + member.name
            found[path] = member
            if member.is_array:
                path += "[]"
                found[path] = member
            add(member.fields, f"{path}.")

    add(api_definition(api_key, side).fields, "")
    return found


def _counts_at(entries: list[TracedField], types: dict[str, Field]) -> Span:
    """Find the last counts and lengths at whose places every message of this layout has them."""
    first = last = 0
    for path, offset, length, value in entries:
        member = types.get(_path(path)[0])
        size = 0
        if member is not None and member.type == "bytes" and value:
            break
        if member is not None and (member.is_array or member.type in ("string", "bytes", "records")):
            size = len(value.encode()) if isinstance(value, str) else 0
            size = value if member.type == "records" and isinstance(value, int) else size
            if offset != last:
                first = offset
            last = offset + length - size
        if size:
            break
    return first, last - first
