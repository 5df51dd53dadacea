"""A Parquet file: each batch becomes a row group, each of its columns a dictionary's page and one of data."""

import sys
from array import array
from collections.abc import Sequence
from typing import NamedTuple

from kafkasniff.tables.arrow import ArrowColumn, ArrowField, Batch, encoded, inner_types
from kafkasniff.tables.parquet.encodings import Numbers, present
from kafkasniff.tables.parquet.thrift import Value, binary, byte, flag, i32, i64, listed, struct, varint

_MAGIC = b"PAR1"
_VERSION = 2
"""Of the format: 2 has the encodings of differences."""
_LEVEL = 1
"""Of zstd: level 3 takes 1.4 times as long for 2 % less."""
_SMALL = 1_024
"""Bytes of pages, without compression, that are kept, since columns without values or of one value recur."""
_MOST_SMALL = 1_000
_BOOLEAN, _INT32, _INT64, _DOUBLE, _BYTE_ARRAY = 0, 1, 2, 5, 6
_PLAIN, _RLE, _DELTA, _DICTIONARY = 0, 3, 5, 8
_ZSTD = 6
_OPTIONAL, _REPEATED = 1, 2
_DATA_PAGE, _DICTIONARY_PAGE = 0, 2
_LIST_TYPE: tuple[Value, Value] = i32(3), struct({3: struct({})})

_SIGNED = {8: 15, 16: 16, 32: 17, 64: 18}
"""Numbers of the types INT_8, …, by their bits."""


class _Kind(NamedTuple):
    """How a type is stored."""

    physical: int
    converted: Value | None = None
    logical: Value | None = None


def _integer(physical: int, bits: int) -> _Kind:
    return _Kind(physical, i32(_SIGNED[bits]), struct({10: struct({1: byte(bits), 2: flag(True)})}))


_TEXT = _Kind(_BYTE_ARRAY, i32(0), struct({1: struct({})}))
_KINDS = {
    "bool": _Kind(_BOOLEAN),
    "int8": _integer(_INT32, 8),
    "int16": _integer(_INT32, 16),
    "int32": _integer(_INT32, 32),
    "int64": _integer(_INT64, 64),
    "double": _Kind(_DOUBLE),
    "string": _TEXT,
    "text": _TEXT,
    "binary": _Kind(_BYTE_ARRAY),
    "timestamp[us, tz=UTC]": _Kind(_INT64, i32(10), struct({8: struct({1: flag(True), 2: struct({2: struct({})})})})),
}

_RANGES = {_INT32: 1 << 30, _INT64: 1 << 60}
"""Between the least and the most of numbers that are stored by their differences, so that these have room as well."""
_CODES = {_INT32: "i", _INT64: "q"}
_BYTES = {_INT32: 4, _INT64: 8}


class _Leaf(NamedTuple):
    """A column as it is stored: of a list its elements, of a list of structs one of their fields."""

    path: tuple[str, ...]
    type: str
    most: int
    """The definition level of a value that is there."""


class _Page(NamedTuple):
    """A page with its header."""

    data: bytes
    size: int
    """Bytes without compression."""


class _Pages:
    """Makes pages, each a frame of zstd."""

    def __init__(self) -> None:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        self._zstd = zstd.ZstdCompressor(level=_LEVEL)
        self._small: dict[tuple[int, bytes, tuple[int, ...]], _Page] = {}

    def page(self, kind: int, data: bytes, *header: int) -> _Page:
        """Give a page; `header` are the numbers that say more of its kind."""
        key = kind, data, header
        found = self._small.get(key) if len(data) <= _SMALL else None
        if found is None:
            packed = self._zstd.compress(data, mode=self._zstd.FLUSH_FRAME)
            place = 7 if kind == _DICTIONARY_PAGE else 5
            more = struct({at: i32(each) for at, each in enumerate(header, 1)})
            head = struct({1: i32(kind), 2: i32(len(data)), 3: i32(len(packed)), place: more})[1]
            found = _Page(head + packed, len(head) + len(data))
            if len(data) <= _SMALL:
                if len(self._small) == _MOST_SMALL:
                    self._small.clear()
                self._small[key] = found
        return found


class _Chunk:
    """The pages of a column in a row group."""

    def __init__(self, leaf: _Leaf) -> None:
        self.leaf = leaf
        self.kind = _KINDS[leaf.type]
        self.pages: list[bytes] = []
        self.size = self.length = 0
        """Bytes of the pages without compression, and as they are."""
        self.dictionary_size = 0
        self.encoding = _PLAIN
        self.nulls = 0
        self.least: bytes | None = None
        self.most: bytes | None = None

    def add(self, page: _Page) -> None:
        """Add a page."""
        self.pages.append(page.data)
        self.size += page.size
        self.length += len(page.data)

    def metadata(self, offset: int, levels: int) -> Value:
        """Describe the pages, which begin at `offset` in the file."""
        encodings = sorted({_PLAIN, _RLE, self.encoding})
        told = struct({3: i64(self.nulls), **self._bounds()})
        fields = {
            1: i32(self.kind.physical),
            2: listed([i32(each) for each in encodings]),
            3: listed([binary(each.encode()) for each in self.leaf.path]),
            4: i32(_ZSTD),
            5: i64(levels),
            6: i64(self.size),
            7: i64(self.length),
            9: i64(offset + self.dictionary_size),
            11: i64(offset) if self.dictionary_size else None,
            12: told,
        }
        return struct({2: i64(offset), 3: struct(fields)})

    def _bounds(self) -> dict[int, Value]:
        if self.least is None or self.most is None:
            return {}
        return {5: binary(self.most), 6: binary(self.least)}


class ParquetFile:
    """A file that takes batches of columns until it is closed."""

    def __init__(self, path: str, fields: Sequence[ArrowField]) -> None:
        """Begin a new file. Raises OSError."""
        self.path = path
        self._fields = fields
        self._leaves = [_leaves(field) for field in fields]
        self._numbers = Numbers()
        self._pages = _Pages()
        self._groups: list[Value] = []
        self._rows = self._offset = 0
        self._shared: dict[tuple[int, int], _Page] = {}
        """Pages of places of a batch, by the identity of what they were made of and the number of texts."""
        self._file = open(path, "xb")  # noqa: SIM115
        self._put(_MAGIC)

    def _put(self, data: bytes) -> None:
        self._file.write(data)
        self._offset += len(data)

    def write(self, batch: Batch) -> None:
        """Write a row group. Raises OSError."""
        rows, columns = batch
        if not rows:
            return
        begun = self._offset
        told: list[Value] = []
        size = 0
        for leaves, column in zip(self._leaves, columns, strict=True):
            for chunk, levels in self._chunks(leaves, rows, column):
                told.append(chunk.metadata(self._offset, levels))
                self._put(b"".join(chunk.pages))
                size += chunk.size
        self._groups.append(
            struct({1: listed(told), 2: i64(size), 3: i64(rows), 5: i64(begun), 6: i64(self._offset - begun)})
        )
        self._rows += rows
        self._shared.clear()

    def close(self) -> None:
        """Write the footer. Raises OSError."""
        elements = [_element("schema", None, children=len(self._fields))]
        for field in self._fields:
            elements += _elements(field)
        leaves = sum(map(len, self._leaves))
        fields = {
            1: i32(_VERSION),
            2: listed(elements),
            3: i64(self._rows),
            # Without a row there is a list without elements, of structs.
            4: listed(self._groups) if self._groups else (9, bytes((12,))),
            6: binary(b"kafkasniff"),
            7: listed([struct({1: struct({})})] * leaves),
        }
        footer = struct(fields)[1]
        self._put(footer + len(footer).to_bytes(4, "little") + _MAGIC)
        self._file.close()

    def _chunks(self, leaves: list[_Leaf], rows: int, column: ArrowColumn) -> list[tuple[_Chunk, int]]:
        if len(leaves[0].path) == 1:
            levels = _with_size(_presence(rows, column.nulls, column.valid))
            return [(self._chunk(leaves[0], rows, rows, levels, column), rows)]
        [(length, elements)] = column.children
        inner = [(length, elements)] if not elements.children else elements.children
        found = []
        if not length and not column.nulls:
            levels = b"".join(_with_size(varint(rows << 1) + level) for level in (b"\0", b"\1"))
            return [
                (self._chunk(leaf, 0, rows, levels, values), rows)
                for leaf, (_, values) in zip(leaves, inner, strict=True)
            ]
        numbers = self._numbers
        for leaf, (_, values) in zip(leaves, inner, strict=True):
            numbers.take_repetitions(column.values, rows)
            count = numbers.count
            levels = _with_size(numbers.runs(1))
            numbers.take_definitions(column.values, column.valid, rows, values.valid, leaf.most)
            levels += _with_size(numbers.runs(leaf.most.bit_length()))
            found.append((self._chunk(leaf, length, count, levels, values), count))
        return found

    def _chunk(self, leaf: _Leaf, rows: int, count: int, levels: bytes, column: ArrowColumn) -> _Chunk:
        """Give the pages of `rows` values, some of which may be null, behind `count` levels."""
        chunk = _Chunk(leaf)
        chunk.nulls = count - rows + column.nulls
        texts = column.texts if column.nulls < rows else None
        key = id(column.values), len(texts or ())
        page = self._shared.get(key) if texts and not column.nulls else None
        if page is None:
            data = self._values(chunk, rows, column) if column.nulls < rows else b""
        if texts:
            chunk.encoding = _DICTIONARY
            chunk.add(self._pages.page(_DICTIONARY_PAGE, _texts([*map(encoded, texts)]), len(texts), _PLAIN))
            chunk.dictionary_size = chunk.length
        if page is None:
            page = self._pages.page(_DATA_PAGE, levels + data, count, chunk.encoding, _RLE, _RLE)
            if texts and not column.nulls:
                self._shared[key] = page
        chunk.add(page)
        return chunk

    def _values(self, chunk: _Chunk, rows: int, column: ArrowColumn) -> bytes:
        """Give the values that are not null."""
        kind, physical, valid = chunk.leaf.type, chunk.kind.physical, column.valid
        if column.texts is None and physical == _BYTE_ARRAY:
            ends, data = column.values, bytes(column.data)
            places = range(rows) if valid is None else [row for row in range(rows) if valid[row >> 3] >> (row & 7) & 1]
            return _texts([data[ends[row] : ends[row + 1]] for row in places])
        if physical == _DOUBLE:
            return bytes(memoryview(column.values)[:rows]) if valid is None else present(column.values, valid, rows)
        numbers = self._numbers
        numbers.take(kind if column.texts is None else "string", column.values, valid, rows)
        if column.texts is not None:
            width = max((len(column.texts) - 1).bit_length(), 1)
            return bytes((width,)) + numbers.runs(width)
        if physical == _BOOLEAN:
            return bytes(numbers.packed(1))
        chunk.least, chunk.most = (
            each.to_bytes(_BYTES[physical], "little", signed=True) for each in (numbers.least, numbers.most)
        )
        if numbers.most - numbers.least < _RANGES[physical]:
            chunk.encoding = _DELTA
            return numbers.differences()
        return array(_CODES[physical], numbers.taken()).tobytes()


def _leaves(field: ArrowField) -> list[_Leaf]:
    if field.type in _KINDS:
        return [_Leaf((field.name,), field.type, 1)]
    [(_, element)] = inner_types(field.type)
    path = (field.name, "list", "element")
    if element in _KINDS:
        return [_Leaf(path, element, 3)]
    return [_Leaf((*path, name), kind, 4) for name, kind in inner_types(element)]


def _element(
    name: str,
    kind: _Kind | None,
    repetition: int | None = None,
    children: int | None = None,
    annotation: tuple[Value | None, Value | None] = (None, None),
) -> Value:
    """Give an element of the schema."""
    converted, logical = annotation if kind is None else kind[1:]
    return struct(
        {
            1: None if kind is None else i32(kind.physical),
            3: None if repetition is None else i32(repetition),
            4: binary(name.encode()),
            5: None if children is None else i32(children),
            6: converted,
            10: logical,
        }
    )


def _elements(field: ArrowField) -> list[Value]:
    """Give the elements of a column."""
    if field.type in _KINDS:
        return [_element(field.name, _KINDS[field.type], _OPTIONAL)]
    [(_, inside)] = inner_types(field.type)
    around = [_element(field.name, None, _OPTIONAL, 1, _LIST_TYPE), _element("list", None, _REPEATED, 1)]
    if inside in _KINDS:
        return [*around, _element("element", _KINDS[inside], _OPTIONAL)]
    fields = inner_types(inside)
    return [
        *around,
        _element("element", None, _OPTIONAL, len(fields)),
        *(_element(name, _KINDS[kind], _OPTIONAL) for name, kind in fields),
    ]


def _texts(texts: Sequence[bytes]) -> bytes:
    """Give texts, or bytes, each behind its length."""
    return b"".join([part for text in texts for part in (len(text).to_bytes(4, "little"), text)])


def _with_size(data: bytes) -> bytes:
    return len(data).to_bytes(4, "little") + data


def _presence(rows: int, nulls: int, valid: bytearray | None) -> bytes:
    """Give definition levels as a run where all are the same; else Arrow's bits are Parquet's."""
    if valid is None or nulls in (0, rows):
        return varint(rows << 1) + bytes((nulls == 0,))
    groups = (rows + 7) // 8
    return varint(groups << 1 | 1) + bytes(valid[:groups])
