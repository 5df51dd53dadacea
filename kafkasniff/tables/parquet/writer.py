"""Files of Apache Parquet."""

import struct as packing
from array import array
from collections.abc import Sequence
from itertools import pairwise
from typing import BinaryIO, NamedTuple

from kafkasniff.tables.arrow import ArrowField, Batch, encoded, is_set, pack_bits
from kafkasniff.tables.parquet.encodings import bit_packed, delta_packed, present, run_of
from kafkasniff.tables.parquet.leaves import BOOLEAN, DOUBLE, INT32, INT64, Leaf, leaves_of, schema_of
from kafkasniff.tables.parquet.thrift import BINARY, I32, STRUCT, Value, i32, i64, list_of, struct, text, varint

_MAGIC = b"PAR1"
_PLAIN, _RLE, _DELTA, _DICTIONARY = 0, 3, 5, 8
_UNCOMPRESSED, _ZSTD = 0, 6
_LEVEL = 1
"""Of zstd: numbers are packed before."""
_LEAST_COMPRESSED = 128
"""Columns with fewer bytes in a row group stay as they are."""


class _Pages(NamedTuple):
    """A column of a row group before it is compressed."""

    values: int
    """How many there are, nulls among them."""
    dictionary: bytes | None
    texts: int
    """How many texts the dictionary has."""
    data: bytes
    encoding: int


class ParquetFile:
    """Writes blocks as row groups."""

    def __init__(self, stream: BinaryIO, fields: Sequence[ArrowField]) -> None:
        """Begin a file with these columns. Raises OSError, as all methods do."""
        import sys

        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        self._zstd = zstd.ZstdCompressor(level=_LEVEL)
        self._stream = stream
        self._fields = fields
        self._groups: list[Value] = []
        self._rows = 0
        self._size = 0
        self._write(_MAGIC)

    def _write(self, data: bytes) -> None:
        self._stream.write(data)
        self._size += len(data)

    def write(self, batch: Batch) -> None:
        """Write a block; one without rows is none."""
        rows, columns = batch
        if not rows:
            return
        begin, chunks = self._size, []
        for field, column in zip(self._fields, columns, strict=True):
            chunks += [self._write_leaf(leaf) for leaf in leaves_of(field.name, field.type, column, rows)]
        group = {1: list_of(STRUCT, chunks), 2: i64(self._size - begin), 3: i64(rows)}
        self._groups.append(struct(group))
        self._rows += rows

    def close(self) -> None:
        """Write what is in the file, and end it."""
        schema = [struct({4: text("table"), 5: i32(len(self._fields))})]
        for field in self._fields:
            schema += schema_of(field.name, field.type)
        groups = list_of(STRUCT, self._groups)
        footer = struct({1: i32(2), 2: list_of(STRUCT, schema), 3: i64(self._rows), 4: groups, 6: text("kafkasniff")})
        self._write(footer.raw + packing.pack("<I", len(footer.raw)) + _MAGIC)
        self._stream.close()

    def _write_leaf(self, leaf: Leaf) -> Value:
        """Write a column of a row group; give what the footer has of it."""
        pages = _pages_of(leaf)
        first, data, codec = pages.dictionary or b"", pages.data, _UNCOMPRESSED
        if len(first) + len(data) >= _LEAST_COMPRESSED:
            packed = self._compressed(first), self._compressed(data)
            if sum(map(len, packed)) < len(first) + len(data):
                (first, data), codec = packed, _ZSTD
        begin, raw = self._size, 0
        encodings = {pages.encoding, _RLE}
        placed: dict[int, Value] = {}
        if pages.dictionary is not None:
            encodings.add(_PLAIN)
            kind = {7: struct({1: i32(pages.texts), 2: i32(_PLAIN)})}
            raw += self._write_page(2, len(pages.dictionary), first, kind)
            placed = {11: i64(begin)}
        data_begin = self._size
        kind = {5: struct({1: i32(pages.values), 2: i32(pages.encoding), 3: i32(_RLE), 4: i32(_RLE)})}
        raw += self._write_page(0, len(pages.data), data, kind)
        about = {
            1: i32(leaf.physical_type),
            2: list_of(I32, [i32(each) for each in sorted(encodings)]),
            3: list_of(BINARY, [text(each) for each in leaf.path]),
            4: i32(codec),
            5: i64(pages.values),
            6: i64(raw),
            7: i64(self._size - begin),
            9: i64(data_begin),
            **placed,
        }
        return struct({2: i64(0), 3: struct(about)})

    def _write_page(self, kind: int, raw: int, data: bytes, own: dict[int, Value]) -> int:
        """Write a page with its header; give how many bytes it has before compression."""
        header = struct({1: i32(kind), 2: i32(raw), 3: i32(len(data)), **own}).raw
        self._write(header + data)
        return len(header) + raw

    def _compressed(self, data: bytes) -> bytes:
        return self._zstd.compress(data, self._zstd.FLUSH_FRAME) if data else b""


def _pages_of(leaf: Leaf) -> _Pages:
    count = leaf.rows if leaf.definitions is None else len(leaf.definitions)
    levels = _levels_of(leaf)
    if leaf.type in ("string", "text"):
        places, texts = _numbered(leaf)
        width = max(1, (len(texts) - 1).bit_length())
        dictionary = b"".join(packing.pack("<I", len(each)) + each for each in texts)
        return _Pages(count, dictionary, len(texts), levels + bytes((width,)) + bit_packed(places, width), _DICTIONARY)
    return _Pages(count, None, 0, levels + _values_of(leaf), _DELTA if leaf.physical_type in (INT32, INT64) else _PLAIN)


def _levels_of(leaf: Leaf) -> bytes:
    """Give the levels of values, each kind with the length of its bytes before them."""
    if leaf.definitions is not None and leaf.repetitions is not None:
        both = bit_packed(leaf.repetitions, 1), bit_packed(leaf.definitions, leaf.depth.bit_length())
        return b"".join(packing.pack("<I", len(each)) + each for each in both)
    nulls = leaf.column.nulls
    if nulls in (0, leaf.rows):
        found = run_of(int(nulls == 0), leaf.rows, 1)
    else:
        size = -(-leaf.rows // 8)
        # Arrow's bits are those of Parquet.
        found = varint(size << 1 | 1) + bytes(leaf.column.valid[:size])
    return packing.pack("<I", len(found)) + found


def _values_of(leaf: Leaf) -> bytes | bytearray:
    """Give what is not null."""
    column, rows = leaf.column, leaf.rows
    if leaf.physical_type in (INT32, INT64):
        return delta_packed(present(column.values, column.valid, rows, column.nulls), leaf.physical_type == INT32)
    if leaf.physical_type == DOUBLE:
        return present(array("q", column.values.tobytes()), column.valid, rows, column.nulls).tobytes()
    if leaf.physical_type == BOOLEAN:
        truths = array("b", [is_set(column.values, row) for row in range(rows)])
        return bytes(pack_bits(present(truths, column.valid, rows, column.nulls)))
    return b"".join(packing.pack("<I", len(each)) + each for each in _bytes_of(leaf))


def _bytes_of(leaf: Leaf) -> Sequence[bytes]:
    """Give the bytes of each value that is not null."""
    column = leaf.column
    if column.elements is not None:
        return column.elements
    return [
        bytes(column.data[begin:end])
        for row, (begin, end) in enumerate(pairwise(column.values[: leaf.rows + 1]))
        if is_set(column.valid, row)
    ]


def _numbered(leaf: Leaf) -> tuple["array[int]", list[bytes]]:
    """Give texts, each once, and the place of each value's among them."""
    column = leaf.column
    if column.texts is not None:
        places = present(column.values, column.valid, leaf.rows, column.nulls)
        return places, [encoded(each) for each in column.texts]
    found: dict[bytes, int] = {}
    return array("q", [found.setdefault(each, len(found)) for each in _bytes_of(leaf)]), [*found]
