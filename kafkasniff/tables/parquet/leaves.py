"""What a column of a table becomes in a file: columns of values that are no lists and no structs, with levels."""

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from kafkasniff.tables.arrow import ArrowColumn, inner_types, is_set
from kafkasniff.tables.parquet.encodings import list_levels
from kafkasniff.tables.parquet.thrift import Value, byte, i32, struct, text, true

BOOLEAN, INT32, INT64, DOUBLE, BYTE_ARRAY = 0, 1, 2, 5, 6
_OPTIONAL, _REPEATED = 1, 2
_REPETITION, _NAME, _CHILDREN, _CONVERTED, _LOGICAL = 3, 4, 5, 6, 10
_LIST_TYPE = {_CONVERTED: i32(3), _LOGICAL: struct({3: struct({})})}
_MICROSECONDS = struct({8: struct({1: true(), 2: struct({2: struct({})})})})


def _integer(bits: int, converted: int) -> dict[int, Value]:
    return {_CONVERTED: i32(converted), _LOGICAL: struct({10: struct({1: byte(bits), 2: true()})})}


_TYPES: dict[str, tuple[int, dict[int, Value]]] = {
    "bool": (BOOLEAN, {}),
    "int8": (INT32, _integer(8, 15)),
    "int16": (INT32, _integer(16, 16)),
    "int32": (INT32, _integer(32, 17)),
    "int64": (INT64, _integer(64, 18)),
    "timestamp[us, tz=UTC]": (INT64, {_CONVERTED: i32(10), _LOGICAL: _MICROSECONDS}),
    "double": (DOUBLE, {}),
    "string": (BYTE_ARRAY, {_CONVERTED: i32(0), _LOGICAL: struct({1: struct({})})}),
    "binary": (BYTE_ARRAY, {}),
}
"""Of types their physical type, and what says how it is meant (parquet.thrift: SchemaElement)."""
_TYPES["text"] = _TYPES["string"]


class Leaf(NamedTuple):
    """Values of a column of a file."""

    path: tuple[str, ...]
    type: str
    column: ArrowColumn
    rows: int
    """How many values `column` has, nulls among them."""
    repetitions: "array[int] | None" = None
    """Of each value whether it is a further one of its list; None outside of lists."""
    definitions: "array[int] | None" = None
    """Of each value how much of it is there; None outside of lists, where `column` alone says it."""
    depth: int = 1
    """The definition level of what is there."""

    @property
    def physical_type(self) -> int:
        """Give the type by Parquet's number."""
        return _TYPES[self.type][0]


def schema_of(name: str, kind: str) -> list[Value]:
    """Give the elements of a file's schema for a column of a table."""
    inner = inner_types(kind)
    if not inner:
        physical, meaning = _TYPES[kind]
        return [struct({1: i32(physical), _REPETITION: i32(_OPTIONAL), _NAME: text(name), **meaning})]
    own = struct({_REPETITION: i32(_OPTIONAL), _NAME: text(name), _CHILDREN: i32(len(inner)), **_LIST_TYPE})
    if kind.startswith("list"):
        within = struct({_REPETITION: i32(_REPEATED), _NAME: text("list"), _CHILDREN: i32(1)})
        return [own, within, *schema_of("element", inner[0][1])]
    own = struct({_REPETITION: i32(_OPTIONAL), _NAME: text(name), _CHILDREN: i32(len(inner))})
    return [own, *(element for each in inner for element in schema_of(*each))]


def leaves_of(name: str, kind: str, column: ArrowColumn, rows: int) -> list[Leaf]:
    """Give the columns of a file for a column of a table: of a list its texts, or the fields of its structs."""
    if not kind.startswith("list"):
        return [Leaf((name,), kind, column, rows)]
    [(_, element)] = inner_types(kind)
    [(count, elements)] = column.children
    fields = inner_types(element)
    parts: Sequence[tuple[tuple[str, ...], str, ArrowColumn]] = [((), element, elements)]
    if fields:
        named = zip(fields, elements.children, strict=True)
        parts = [((field,), inner, child) for (field, inner), (_, child) in named]
    depth = 3 + bool(fields)
    found = []
    for path, inner, child in parts:
        repetitions, definitions = list_levels(column.values, column.valid, rows, depth)
        if child.nulls:
            places = [at for at, level in enumerate(definitions) if level == depth]
            for row, at in enumerate(places):
                definitions[at] -= not is_set(child.valid, row)
        found.append(Leaf((name, "list", "element", *path), inner, child, count, repetitions, definitions, depth))
    return found
