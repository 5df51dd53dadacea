"""The JSON of bodies that were read as columns."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from kafkasniff.protocol.body_columns import (
    ArrayColumn,
    Block,
    Buffer,
    BytesColumn,
    Column,
    Columns,
    Marks,
    NumberColumn,
    Numbers,
    RecordsColumn,
    TextColumn,
)
from kafkasniff.protocol.records.batch_columns import BatchHeaders, read_batch_columns
from kafkasniff.protocol.records.batches import COMPRESSIONS
from kafkasniff.render.text_blocks import (
    Part,
    digits,
    looked_up,
    row_texts,
    side_by_side,
    table,
)

Piece = Part | list[bytes]
"""A part of the texts of many rows; as a list, one for each row. There may be zeros in it, to be left out."""

_TRUTHS = table([b"false", b"true"])
_EMPTY_OR_NULL = table([b'""', b"null"])
_QUOTE_OR_NULL = table([b'"', b"null"])
_QUOTE_OR_NOTHING = table([b'"', b""])
_BRACKET_OR_NULL = table([b"[", b"null"])
_BRACKET_OR_NOTHING = table([b"]", b""])
_COMPRESSIONS = table([name.encode() for name in COMPRESSIONS])
_TIMESTAMP_TYPES = table([b"CreateTime", b"LogAppendTime"])
_COMMA = np.uint8(ord(","))


def body_pieces(buffer: Buffer, columns: Columns, count: int) -> list[Piece]:
    """Give the JSON of structs."""
    pieces: list[Piece] = []
    before = "{"
    for name, column in columns.items():
        if isinstance(column, RecordsColumn):
            pieces += _records_pieces(before, name, column)
        else:
            pieces += [f'{before}"{name}":'.encode(), *_value_pieces(buffer, column, count)]
        before = ","
    pieces.append(b"}" if columns else b"{}")
    return pieces


def texts(pieces: Sequence[Piece], count: int) -> list[bytes]:
    """Join the pieces of each row; there may still be zeros."""
    lists = joined(pieces, count)
    return lists[0] if len(lists) == 1 else [b"".join(row) for row in zip(*lists, strict=True)]


def joined(pieces: Sequence[Piece], count: int) -> list[list[bytes]]:
    """Join neighbouring parts: give as few lists with a piece for each row as there may be."""
    lists: list[list[bytes]] = []
    parts: list[Part] = []
    for piece in [*pieces, []]:
        if not isinstance(piece, list):
            parts.append(piece)
            continue
        if parts:
            lists.append(row_texts(side_by_side(parts, count)))
            parts = []
        if piece:
            lists.append(piece)
    return lists


def _records_pieces(before: str, name: str, column: RecordsColumn) -> list[Piece]:
    null = column.size < 0
    if not np.count_nonzero(null):
        return [f'{before}"{name}SizeInBytes":'.encode(), digits(column.size)]
    names = table([f'{before}"{name}SizeInBytes":'.encode(), f'{before}"{name}":null'.encode()])
    return [looked_up(names, null.astype(np.int64)), digits(np.maximum(column.size, 0)) * ~null[:, None]]


def _value_pieces(buffer: Buffer, column: Column, count: int) -> list[Piece]:
    if isinstance(column, NumberColumn):
        values = column.values(buffer)
        return [looked_up(_TRUTHS, values) if column.code == "?" else digits(values)]
    if isinstance(column, TextColumn):
        null = (column.length < 0).astype(np.int64)
        nulls = np.count_nonzero(null)
        if not nulls:
            return [b'"', column.block, b'"']
        if nulls == count:
            return [b"null"]
        return [looked_up(_QUOTE_OR_NULL, null), column.block, looked_up(_QUOTE_OR_NOTHING, null)]
    if isinstance(column, BytesColumn):
        return [looked_up(_EMPTY_OR_NULL, (column.length < 0).astype(np.int64))]
    assert isinstance(column, ArrayColumn)
    null = (column.count < 0).astype(np.int64)
    nulls = np.count_nonzero(null)
    if nulls == count:
        return [b"null"]
    elements = _element_pieces(buffer, column, count)
    if not nulls:
        return [b"[", *elements, b"]"]
    return [looked_up(_BRACKET_OR_NULL, null), *elements, looked_up(_BRACKET_OR_NOTHING, null)]


def _element_pieces(buffer: Buffer, column: ArrayColumn, count: int) -> list[Piece]:
    """Give the elements of each array with commas between them."""
    number = len(column.owner)
    if not number:
        return []
    if "" in column.elements:
        pieces = _value_pieces(buffer, column.elements[""], number)
    else:
        pieces = body_pieces(buffer, column.elements, number)
    if number == count and not np.count_nonzero(column.count != 1):
        return pieces
    nth = np.arange(number) - column.first[column.owner]
    pieces.insert(0, ((nth > 0) * _COMMA)[:, None])
    return [gathered(pieces, number, column.owner, count)]


def gathered(pieces: Sequence[Piece], number: int, owner: Numbers, count: int) -> Piece:
    """Put the texts of `number` elements, of each of `count` rows, one behind the other."""
    bounds = np.searchsorted(owner, np.arange(count + 1))
    if any(isinstance(piece, list) for piece in pieces):
        each = texts(pieces, number)
        places = bounds.tolist()
        return [b"".join(each[first:last]) for first, last in pairwise(places)]
    block = side_by_side([piece for piece in pieces if not isinstance(piece, list)], number)
    if not np.count_nonzero(bounds[1:] - bounds[:-1] > 1):
        whole = np.zeros((count, block.shape[1]), np.uint8)
        whole[owner] = block
        return whole
    places = (bounds * block.shape[1]).tolist()
    data = block.tobytes()
    return [data[first:last] for first, last in pairwise(places)]


class Batches(NamedTuple):
    """The batches in the bodies of many rows."""

    owner: Numbers
    """Index of the row of each batch; it does not fall."""
    pieces: list[Piece]
    """Their JSON, less the brackets around those of a row."""
    odd: Numbers
    """Rows with something that is no usual batch."""


def batches_of(buffer: Buffer, columns: Columns, side: str, count: int) -> Batches | None:
    """Give the batches of bodies; None where they have no `records` field."""
    return _find(buffer, columns, f'{{"where":"{side}","path":"', [], np.arange(count))


def _find(buffer: Buffer, columns: Columns, before: str, path: list[Part], owner: Numbers) -> Batches | None:
    """Find the one field with records; `path` leads to the structs, whose rows are those of `owner`."""
    for name, column in columns.items():
        if isinstance(column, RecordsColumn):
            filled = np.flatnonzero(column.size > 0)
            place = [part if isinstance(part, bytes) else part[filled] for part in path]
            return _batches(buffer, column, [before.encode(), *place, f'{name}",'.encode()], owner, filled)
        if isinstance(column, ArrayColumn):
            nth = np.arange(len(column.owner)) - column.first[column.owner]
            inner = [part if isinstance(part, bytes) else part[column.owner] for part in path]
            inner += [f"{name}[".encode(), digits(nth), b"]."]
            if found := _find(buffer, column.elements, before, inner, owner[column.owner]):
                return found
    return None


def _batches(buffer: Buffer, column: RecordsColumn, place: list[Part], owner: Numbers, filled: Numbers) -> Batches:
    headers, odd = read_batch_columns(buffer, column.at[filled], column.size[filled])
    return Batches(owner[filled], [*place, *_batch_parts(headers)], owner[filled][odd])


def _batch_parts(headers: BatchHeaders) -> list[Part]:
    """Give the members of batches as `as_json` has them."""

    def number(field: str) -> Numbers:
        found: Numbers = headers[field].astype(np.int64)
        return found

    def truth(marks: Marks) -> Block:
        return looked_up(_TRUTHS, marks.astype(np.int64))

    attributes = number("attributes")
    return [
        b'"magic":2,"baseOffset":',
        digits(number("base_offset")),
        b',"lastOffset":',
        digits(number("base_offset") + number("last_offset_delta")),
        b',"partitionLeaderEpoch":',
        digits(number("leader_epoch")),
        b',"compression":"',
        looked_up(_COMPRESSIONS, attributes & 7),
        b'","timestampType":"',
        looked_up(_TIMESTAMP_TYPES, attributes >> 3 & 1),
        b'","baseTimestamp":',
        digits(number("base_timestamp")),
        b',"maxTimestamp":',
        digits(number("max_timestamp")),
        b',"producerId":',
        digits(number("producer_id")),
        b',"producerEpoch":',
        digits(number("producer_epoch")),
        b',"baseSequence":',
        digits(number("base_sequence")),
        b',"isTransactional":',
        truth(attributes & 0x10 != 0),
        b',"isControl":',
        truth(attributes & 0x20 != 0),
        b',"recordCount":',
        digits(number("record_count")),
        b',"sizeInBytes":',
        digits(number("size") + 12),
        b',"crc":',
        digits(number("crc")),
        b',"crcValid":true}',
    ]
