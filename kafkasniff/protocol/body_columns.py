"""Small bodies of one layout as columns: NumPy reads the same field of many messages at once.

What is not as in most messages marks the message as odd: it is left to the compiled decoders, and its numbers here mean
nothing. Odd are messages with an error code, with tagged fields, with bytes that are not empty, with text that is long
or not plain, with many elements in an array, and with anything that a decoder refuses.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from struct import Struct
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.tables import is_error_code
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.fields import Field, Kind, Message, covers, fields_of
from kafkasniff.protocol.headers import API_VERSIONS

FIXED_CODES: Final = {
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

LENGTH_CODES: Final = {"string": "h", "bytes": "i", "records": "i"}
"""Struct code of the length where it is not compact."""

SIZES: Final = {"?": 1, "b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "d": 8, "16s": 16}
"""Bytes of each struct code."""

MOST_ELEMENTS: Final = 16
"""Elements of the longest array that is read."""

LONGEST_TEXT: Final = 127
"""Bytes of the longest text that is read."""

_LONGEST = 1 << 30
_TOO_LONG = 1 << 40
# As methods of arrays they take twice the time for few numbers.
_LOWEST, _HIGHEST = np.minimum.reduce, np.maximum.reduce
_STRUCTS = {code: Struct(f">{code}") for code in SIZES}
_FIRST_PLAIN, _LAST_PLAIN, _QUOTE, _BACKSLASH = np.uint8(0x21), np.uint8(0x7E), np.uint8(0x22), np.uint8(0x5C)

Numbers = NDArray[np.int64]
Marks = NDArray[np.bool_]
Block = NDArray[np.uint8]
"""Bytes by row and place."""


class Buffer:
    """Bytes of which numbers and texts are read at many places at once."""

    def __init__(self, data: bytes) -> None:
        """Take the bytes, at least 8."""
        self.data = data

    def numbers(self, code: str, places: Numbers) -> Numbers:
        """Read the numbers with a struct code at these places; those behind the end are read as at the end."""
        last = len(self.data) - SIZES[code]
        layout = np.dtype(">" + code)
        found: Numbers = np.ndarray((last + 1,), layout, self.data, 0, (1,))[np.minimum(places, last)].astype(np.int64)
        return found

    def block(self, places: Numbers, width: int) -> Block:
        """Copy as many bytes from each place; behind the end of the buffer stand zeros."""
        last = len(self.data) - width
        if not width or last < 0:
            return self._block_at_end(places, width)
        everywhere = np.ndarray((last + 1,), f"V{width}", self.data, 0, (1,))
        found: Block = everywhere[np.minimum(places, last)].view(np.uint8).reshape(len(places), width)
        behind = np.flatnonzero(places > last)
        if len(behind):
            found[behind] = self._block_at_end(places[behind], width)
        return found

    def _block_at_end(self, places: Numbers, width: int) -> Block:
        texts = b"".join(self.data[place : place + width].ljust(width, b"\0") for place in places.tolist())
        return np.frombuffer(bytearray(texts), np.uint8).reshape(len(places), width)


class NumberColumn(NamedTuple):
    """A number of each row."""

    at: Numbers
    offset: int
    """What is to be added to `at`."""
    code: str
    """Struct code."""

    def values(self, buffer: Buffer, rows: Numbers | slice = slice(None)) -> Numbers:
        """Read the numbers of some rows."""
        return buffer.numbers(self.code, self.at[rows] + self.offset)

    def value(self, buffer: Buffer, row: int) -> int:
        """Read the number of one row."""
        return int(_STRUCTS[self.code].unpack_from(buffer.data, self.at.item(row) + self.offset)[0])


class TextColumn(NamedTuple):
    """A text of each row: printable ASCII without spaces, quotes and backslashes, which stands for itself anywhere."""

    block: Block
    """The bytes, zeros behind them."""
    length: Numbers
    """-1: null."""


class RecordsColumn(NamedTuple):
    """A `records` field of each row."""

    at: Numbers
    size: Numbers
    """-1: null."""


class BytesColumn(NamedTuple):
    """A `bytes` field of each row, which is empty or null."""

    length: Numbers


@dataclass(slots=True)
class ArrayColumn:
    """An array of each row. The elements of all rows stand one after the other."""

    count: Numbers
    """-1: null."""
    first: Numbers
    """Index of the row's first element."""
    owner: Numbers
    """For each element the index of its row."""
    elements: "Columns"
    """Of primitives the name is empty. There are no columns where there are no elements."""


Column = NumberColumn | TextColumn | RecordsColumn | BytesColumn | ArrayColumn
Columns = dict[str, Column]
"""The columns of a struct by the names of its fields, in the definition's order."""


class BodyReader:
    """Reads bodies of one layout."""

    def __init__(self, message: Message, version: int) -> None:
        """Take the definition."""
        self.fields = fields_of(message.fields, version)
        self.version = version
        self.flexible = covers(message.flexible, version)

    def read(self, buffer: Buffer, start: Numbers, end: Numbers) -> tuple[Columns, Marks]:
        """Give the columns of the bodies from `start` to `end`, and which of these are odd."""
        walk = _Walk(self, buffer, end)
        columns, ends = walk.struct(self.fields, start, np.arange(len(start)))
        return columns, walk.odd | (ends != end)


@cache
def body_reader(api_key: int, version: int, kind: Kind) -> BodyReader | None:
    """Give what reads the bodies of an API in a version; None where the version or a type in it is not for columns."""
    api = APIS.get(api_key)
    if api is None or not api.first_version <= version <= api.last_version or api_key == API_VERSIONS:
        return None
    message = api_definition(api_key, kind)
    return BodyReader(message, version) if _is_read(message.fields, version) else None


def _is_read(fields: Sequence[Field], version: int) -> bool:
    for member in fields_of(tuple(fields), version):
        if covers(member.tagged, version):
            continue
        if member.fields and not (member.is_array and _is_read(member.fields, version)):
            return False
        if not member.fields and member.element_type not in FIXED_CODES.keys() | LENGTH_CODES.keys():
            return False
        if member.is_array and member.element_type in LENGTH_CODES and member.element_type != "string":
            return False
    return True


class _Walk:
    """The way through all bodies at once, from field to field."""

    def __init__(self, reader: BodyReader, buffer: Buffer, end: Numbers) -> None:
        """Begin with messages that end at `end`."""
        self.reader = reader
        self.buffer = buffer
        self.end = end
        self.odd: Marks = np.zeros(len(end), np.bool_)

    def _refuse(self, owner: Numbers, refused: Marks) -> None:
        if np.count_nonzero(refused):
            self.odd[owner[refused]] = True

    def struct(self, fields: Sequence[Field], at: Numbers, owner: Numbers) -> tuple[Columns, Numbers]:
        """Read structs that begin at `at`; `owner`: the messages that they belong to. Give where they end, too."""
        columns: Columns = {}
        offset = 0
        for member in fields_of(tuple(fields), self.reader.version):
            if covers(member.tagged, self.reader.version):
                continue
            kind = member.element_type
            if kind in FIXED_CODES and not member.is_array:
                code = FIXED_CODES[kind]
                column = NumberColumn(at, offset, code)
                columns[member.name] = column
                offset += SIZES[code]
                if is_error_code(member):
                    self._refuse(owner, column.values(self.buffer) != 0)
                continue
            length, at = self._length(member, at + offset, owner)
            offset = 0
            if member.is_array:
                columns[member.name], at = self._array(member, length, at, owner)
                continue
            if kind == "string":
                columns[member.name] = self._text(at, length, owner)
            elif kind == "records":
                columns[member.name] = RecordsColumn(at, length)
            else:
                columns[member.name] = BytesColumn(length)
                self._refuse(owner, length > 0)
            at = at + (np.maximum(length, 0) if covers(member.nullable, self.reader.version) else length)
        if self.reader.flexible:
            self._refuse(owner, self.buffer.numbers("B", at + offset) != 0)
            offset += 1
        return columns, at + offset

    def _length(self, member: Field, at: Numbers, owner: Numbers) -> tuple[Numbers, Numbers]:
        """Read a length or count, and whether it can be one; give also the place behind it.

        What leads behind the end of the message shows there.
        """
        length, at = self._stated(member, at)
        least = -1 if covers(member.nullable, self.reader.version) else 0
        most = MOST_ELEMENTS if member.is_array else LONGEST_TEXT if member.element_type == "string" else _LONGEST
        lowest, highest = _LOWEST(length, initial=0), _HIGHEST(length, initial=0)
        if lowest < least or highest > (1 if member.is_array else most):
            if member.is_array:
                # Kafka refuses more elements than there are bytes.
                size = _least_size(member, self.reader.version, self.reader.flexible)
                refused = (length < least) | (length > np.minimum((self.end[owner] - at) // size, most))
            else:
                refused = (length < least) | (length > most)
            if np.count_nonzero(refused):
                self.odd[owner[refused]] = True
                length[refused] = least
        return length, at

    def _stated(self, member: Field, at: Numbers) -> tuple[Numbers, Numbers]:
        """Read a length or count as it is stated, and give the place behind it, which may be changed."""
        if self.reader.flexible and member.flexible != "none":
            return self._varint(at)
        code = "h" if member.element_type == "string" and not member.is_array else "i"
        return self.buffer.numbers(code, at), at + SIZES[code]

    def _varint(self, at: Numbers) -> tuple[Numbers, Numbers]:
        """Read lengths, which stand as varints of one more; one of more than two bytes gives what nothing can have."""
        value = self.buffer.numbers("B", at)
        at = at + 1
        longer = np.flatnonzero(value > 127)
        if len(longer):
            second = self.buffer.numbers("B", at[longer])
            more = value[longer] + ((second - 1) << 7)
            value[longer] = np.where((second > 127) | (second == 0), _TOO_LONG, more)
            at[longer] += 1
        return value - 1, at

    def _text(self, at: Numbers, length: Numbers, owner: Numbers) -> TextColumn:
        width = int(_HIGHEST(length, initial=0))
        block = self.buffer.block(at, width)
        odd = (block - _FIRST_PLAIN > _LAST_PLAIN - _FIRST_PLAIN) | (block == _QUOTE) | (block == _BACKSLASH)
        if width and _LOWEST(length, initial=width) < width:
            inside = np.arange(width, dtype=np.int8) < length.astype(np.int8)[:, None]
            odd &= inside
            block *= inside.view(np.uint8)
        if np.count_nonzero(odd):
            self._refuse(owner, odd.any(axis=1))
        return TextColumn(block, length)

    def _array(self, member: Field, count: Numbers, at: Numbers, owner: Numbers) -> tuple[ArrayColumn, Numbers]:
        """Read the elements of arrays that begin at `at`."""
        if _LOWEST(count, initial=1) == _HIGHEST(count, initial=1) == 1:
            every = np.arange(len(count))
            elements, at = self._elements(member, at, owner)
            return ArrayColumn(count, every, every, elements), at
        there = np.maximum(count, 0)
        behind = np.cumsum(there)
        first = behind - there
        parent = np.repeat(np.arange(len(count)), there)
        if not len(parent):
            return ArrayColumn(count, first, parent, {}), at
        size = _fixed_size(member, self.reader.version, self.reader.flexible)
        if size:
            places = at[parent] + size * (np.arange(len(parent)) - first[parent])
        else:
            places = self._places(member, there, first, at)
        elements, ends = self._elements(member, places, owner[parent])
        filled = np.flatnonzero(there)
        at = at.copy()
        at[filled] = ends[behind[filled] - 1]
        return ArrayColumn(count, first, parent, elements), at

    def _places(self, member: Field, count: Numbers, first: Numbers, at: Numbers) -> Numbers:
        """Find where each element begins: behind the one before it."""
        places = np.zeros(int(count.sum()), np.int64)
        rows = np.flatnonzero(count)
        begin = at[rows]
        nth = 0
        while True:
            places[first[rows] + nth] = begin
            nth += 1
            more = count[rows] > nth
            if not np.count_nonzero(more):
                return places
            rows = rows[more]
            begin = self._behind(member, begin[more])

    def _behind(self, member: Field, at: Numbers) -> Numbers:
        """Find where elements that begin at `at` end; what is wrong with them shows when they are read."""
        fields = fields_of(member.fields, self.reader.version) or (_text_element(member),)
        offset = 0
        for inner in fields:
            if covers(inner.tagged, self.reader.version):
                continue
            if inner.element_type in FIXED_CODES and not inner.is_array:
                offset += SIZES[FIXED_CODES[inner.element_type]]
                continue
            length, at = self._stated(inner, at + offset)
            offset = 0
            if not inner.is_array:
                at = at + np.maximum(length, 0)
                continue
            count = np.clip(length, 0, MOST_ELEMENTS)
            size = _fixed_size(inner, self.reader.version, self.reader.flexible)
            if size:
                at = at + count * size
                continue
            for nth in range(int(count.max(initial=0))):
                more = np.flatnonzero(count > nth)
                at[more] = self._behind(inner, at[more])
        return at + offset + self.reader.flexible * bool(member.fields)

    def _elements(self, member: Field, places: Numbers, owner: Numbers) -> tuple[Columns, Numbers]:
        if member.fields:
            return self.struct(member.fields, places, owner)
        code = FIXED_CODES.get(member.element_type)
        if code is not None:
            return {"": NumberColumn(places, 0, code)}, places + SIZES[code]
        length, places = self._length(_text_element(member), places, owner)
        return {"": self._text(places, length, owner)}, places + length


def _text_element(member: Field) -> Field:
    """Give the elements of an array of texts as a field."""
    return Field("", "string", member.versions, flexible=member.flexible)


def _fixed_size(member: Field, version: int, flexible: bool) -> int:
    """Give the bytes that every element of an array takes; 0 where they differ."""
    if not member.fields:
        return SIZES[FIXED_CODES[member.element_type]] if member.element_type in FIXED_CODES else 0
    size = int(flexible)
    for inner in fields_of(member.fields, version):
        if covers(inner.tagged, version):
            continue
        if inner.is_array or inner.type not in FIXED_CODES:
            return 0
        size += SIZES[FIXED_CODES[inner.type]]
    return size


def _least_size(member: Field, version: int, flexible: bool) -> int:
    """Give the fewest bytes that an element of an array takes, as Kafka refuses more elements than there are bytes."""
    return _fixed_size(member, version, flexible) or max(len(fields_of(member.fields, version)) // 2, 1)
