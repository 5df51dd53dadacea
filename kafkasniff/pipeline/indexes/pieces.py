"""The rows that are shuffled: where packets lie in their file, packed, and their bytes only where they must travel."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Marks = NDArray[np.bool_]

SCHEMA = pa.schema(
    [
        ("bucket", pa.int32()),
        ("ring", pa.int32()),
        ("key", pa.int64()),
        ("part", pa.int32()),
        ("number", pa.int64()),
        ("packets", pa.int32()),
        ("columns", pa.binary()),
        ("payload", pa.binary()),
    ]
)
"""One row for the packets that one batch of a file has for one bucket; a report on a file has no packets."""


class PackedRow(NamedTuple):
    """A row in `SCHEMA`."""

    bucket: int
    ring: int
    key: int
    part: int
    number: int
    packets: int
    columns: bytes
    payload: bytes | None = None


_BATCH_ROWS = 1_024
_BATCH_BYTES = 4 << 20
"""Rows, and bytes in them, from which on a batch is given: each costs Spark some milliseconds, whatever it holds."""

ORDER = ("ring", "key", "part", "number")
"""How rows are sorted within a bucket."""

REPORT = -1
"""In the place of `packets`: the row holds a report on its file in `columns`."""


class Piece(NamedTuple):
    """Packets of one file that belong to one bucket, in file order: columns of equal length."""

    part: int
    """Index of the file, or of a range of it, among all of them."""
    keys: Numbers
    """The latest time of the file up to each packet, in ns: by it files are merged, as their clocks may step back."""
    times: Numbers
    numbers: Numbers
    """1-based number of each packet within its file, or its range."""
    offsets: Numbers
    """Where each packet's bytes begin in the file, or in `payload`."""
    captured: Numbers
    original: Numbers
    interfaces: Numbers
    """Index of each packet's interface within its file."""
    payload: bytes | None
    """The packets' bytes; None where they are read from the file again."""

    def take(self, rows: slice | Numbers) -> "Piece":
        """Give some of the packets; the payload stays whole."""
        keys, times, numbers, offsets, captured, original, interfaces = (column[rows] for column in self[1:8])
        return Piece(self.part, keys, times, numbers, offsets, captured, original, interfaces, self.payload)


_LONG, _SHORT = np.dtype("<i8"), np.dtype("<u4")
_SAME_KEYS, _SAME_LENGTHS, _ONE_INTERFACE, _NEAR = 1, 2, 4, 8
"""What a piece tells once: keys are the times, packets are whole, all are of one interface, times fit in 32 bits."""
_NEAR_NS = 1 << 32
_HEADER_BYTES = 5 * _LONG.itemsize


def pack(piece: Piece) -> bytes:
    """Give the columns of a piece as bytes: first what they have in common, then what they are more than that."""
    first = int(piece.times.min())
    flags = _SAME_KEYS * np.array_equal(piece.keys, piece.times)
    flags |= _SAME_LENGTHS * np.array_equal(piece.original, piece.captured)
    flags |= _ONE_INTERFACE * bool((piece.interfaces == piece.interfaces[0]).all())
    flags |= _NEAR * (int(piece.times.max()) - first < _NEAR_NS)
    common = flags, first, piece.numbers[0], piece.offsets[0], piece.interfaces[0]
    held = (
        piece.times - first,
        piece.numbers - piece.numbers[0],
        piece.offsets - piece.offsets[0],
        piece.captured,
        piece.keys,
        piece.original,
        piece.interfaces,
    )
    packed = (column.astype(width).tobytes() for column, width in zip(held, _widths(flags), strict=True) if width)
    return b"".join((np.array(common, _LONG).tobytes(), *packed))


def unpack(part: int, count: int, data: bytes, payload: bytes | None) -> Piece:
    """Undo `pack` for `count` packets."""
    flags, first, number, offset, interface = np.frombuffer(data, _LONG, 5).tolist()
    position, columns = _HEADER_BYTES, []
    for width in _widths(flags):
        if width is None:
            columns.append(np.zeros(0, np.int64))
            continue
        columns.append(np.frombuffer(data, width, count, position).astype(np.int64))
        position += count * width.itemsize
    times, numbers, offsets, captured, keys, original, interfaces = columns
    times += first
    return Piece(
        part,
        times if flags & _SAME_KEYS else keys,
        times,
        numbers + number,
        offsets + offset,
        captured,
        captured if flags & _SAME_LENGTHS else original,
        np.full(count, interface) if flags & _ONE_INTERFACE else interfaces,
        payload,
    )


def _widths(flags: int) -> tuple[np.dtype[np.integer[Any]] | None, ...]:
    """Give the type of each column that `pack` writes; None for one that it does not hold."""
    return (
        _SHORT if flags & _NEAR else _LONG,
        *(_SHORT, _SHORT, _SHORT),
        None if flags & _SAME_KEYS else _LONG,
        None if flags & _SAME_LENGTHS else _SHORT,
        None if flags & _ONE_INTERFACE else _SHORT,
    )


def as_row(bucket: int, ring: int, piece: Piece) -> PackedRow:
    """Give the row that holds a piece."""
    key, number = int(piece.keys[0]), int(piece.numbers[0])
    return PackedRow(bucket, ring, key, piece.part, number, len(piece.keys), pack(piece), piece.payload)


def in_batches(rows: Iterable[PackedRow]) -> Iterator[pa.RecordBatch]:
    """Give rows in batches, those of small files together."""
    waiting: list[PackedRow] = []
    size = 0
    for row in rows:
        waiting.append(row)
        size += len(row.columns) + len(row.payload or b"")
        if len(waiting) >= _BATCH_ROWS or size >= _BATCH_BYTES:
            yield as_batch(waiting)
            waiting, size = [], 0
    if waiting:
        yield as_batch(waiting)


def as_batch(rows: Iterable[PackedRow]) -> pa.RecordBatch:
    """Give rows as a batch in `SCHEMA`."""
    columns = list(zip(*rows, strict=True))
    arrays = [pa.array(column, each.type) for column, each in zip(columns, SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def pieces_of(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, Piece]]:
    """Give ring and piece of each row that holds packets."""
    for batch in batches:
        _, rings, _, parts, _, counts, columns, payloads = batch.columns
        for index in range(batch.num_rows):
            count = counts[index].as_py()
            if count != REPORT:
                part, data, payload = parts[index].as_py(), columns[index].as_py(), payloads[index].as_py()
                yield rings[index].as_py(), unpack(part, count, data, payload)
