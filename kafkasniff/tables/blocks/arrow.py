"""Arrow's C data interface: columns and batches for whoever takes `__arrow_c_stream__`.

The structures are those of https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html, the
capsules those of the PyCapsule interface beside them. All memory belongs to Python objects, which are kept until the
consumer calls `release`.
"""

import ctypes
import errno
from array import array
from collections.abc import Callable, Iterator, Sequence
from ctypes import POINTER, Structure, addressof, byref, c_char_p, c_int, c_int64, c_void_p, cast, pointer, py_object
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Any

_RELEASE = ctypes.CFUNCTYPE(None, c_void_p)
_NULLABLE = 2

FORMATS = {
    "bool": b"b",
    "int8": b"c",
    "int16": b"s",
    "int32": b"i",
    "int64": b"l",
    "double": b"g",
    "string": b"i",
    "text": b"u",
    "binary": b"z",
    "timestamp[us, tz=UTC]": b"tsu:UTC",
}
"""Arrow's format strings of types; beside them there are `list<T>` and `struct<name: T, ...>`.

A `string` is a place in a dictionary of `text`.
"""

_CODES = {"int8": "b", "int16": "h", "int32": "i", "int64": "q", "double": "d", "timestamp[us, tz=UTC]": "q"}
"""Python's codes of arrays of the types whose values are numbers."""


class _Schema(Structure):
    pass


_Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_char_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(_Schema))),
    ("dictionary", POINTER(_Schema)),
    ("release", _RELEASE),
    ("private_data", c_void_p),
]


class _Array(Structure):
    pass


_Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(_Array))),
    ("dictionary", POINTER(_Array)),
    ("release", _RELEASE),
    ("private_data", c_void_p),
]

_GET_SCHEMA = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(_Schema))
_GET_NEXT = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(_Array))
_GET_ERROR = ctypes.CFUNCTYPE(c_void_p, c_void_p)


class _Stream(Structure):
    _fields_ = (
        ("get_schema", _GET_SCHEMA),
        ("get_next", _GET_NEXT),
        ("get_last_error", _GET_ERROR),
        ("release", _RELEASE),
        ("private_data", c_void_p),
    )


@cache
def _array_type(kind: Any, length: int) -> Any:
    """Give the type of C arrays of that length: ctypes forgets types that nothing holds, and to make one takes long."""
    return kind * length


@dataclass(frozen=True, slots=True)
class ArrowField:
    """A column of a stream: its name, its type, and whether it may be null. A string is a dictionary's."""

    name: str
    type: str
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class ArrowColumn:
    """The values of a column in a batch."""

    values: Any
    """A buffer: the values, int32 places in `texts`, or of a list and of bytes where each ends, from 0 on. None of a
    struct."""
    valid: Any
    """A buffer of bits, the lowest first: 0 where the value is null. None where no value is."""
    nulls: int
    texts: Sequence[str] | None = None
    """What places in a dictionary stand for."""
    data: Any = None
    """The bytes one after the other."""
    children: "Sequence[tuple[int, ArrowColumn]]" = ()
    """Of a list its elements one after the other, of a struct its fields; each with the number of values."""


def pack_bits(values: Sequence[Any]) -> bytearray:
    """Give truth values as bits, the lowest first."""
    text = "".join("1" if value else "0" for value in reversed(values))
    return bytearray(int(text or "0", 2).to_bytes(-(-len(values) // 8) or 1, "little"))


def encoded(text: str) -> bytes:
    """Give text in UTF-8; what is no Unicode becomes U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").encode()


def inner_types(name: str) -> list[tuple[str, str]]:
    """Give names and types of what is in a list or a struct: DuckDB takes no list of dictionaries that is empty."""
    kind, _, inside = name.removesuffix(">").partition("<")
    if not inside:
        return []
    fields = [("item", inside)] if kind == "list" else [tuple(each.split(": ")) for each in inside.split(", ")]
    return [(each[0], "text" if each[1] == "string" else each[1]) for each in fields]


def column_of(name: str, values: Sequence[Any]) -> ArrowColumn:
    """Give values, of which some may be None, as a column of a type."""
    nulls = values.count(None)
    valid = pack_bits([value is not None for value in values]) if nulls else None
    if name in _CODES:
        return ArrowColumn(array(_CODES[name], [value or 0 for value in values]), valid, nulls)
    if name == "bool":
        return ArrowColumn(pack_bits([bool(value) for value in values]), valid, nulls)
    if name == "string":
        places: dict[str, int] = {}
        numbers = [0 if value is None else places.setdefault(value, len(places)) for value in values]
        return ArrowColumn(array("i", numbers), valid, nulls, list(places))
    if name == "text":
        values = [None if value is None else encoded(value) for value in values]
    ends = array("i", accumulate((len(value or ()) for value in values), initial=0))
    if name in ("text", "binary"):
        # Never empty: a consumer may want an address where there are texts of no bytes.
        return ArrowColumn(ends, valid, nulls, data=bytearray(b"".join(value or b"" for value in values) or b"\0"))
    children = []
    for inner, kind in inner_types(name):
        if name.startswith("list"):
            each = [element for value in values for element in value or ()]
        else:
            each = [None if value is None else value[inner] for value in values]
        children.append((len(each), column_of(kind, each)))
    return ArrowColumn(ends if name.startswith("list") else None, valid, nulls, children=children)


Batch = tuple[int, Sequence[ArrowColumn]]
"""The number of rows, and the columns."""

_kept: dict[int, tuple[Any, ...]] = {}
"""What a structure that a consumer holds needs, by the number in its `private_data`."""
_next_key = 1


def _keep(structure: Any, *needed: Any) -> None:
    global _next_key  # noqa: PLW0603
    _kept[_next_key] = needed
    structure.private_data = _next_key
    _next_key += 1


def _releaser(kind: Any) -> Any:
    """Make the `release` of a kind of structure: it releases what is left of its parts, then itself."""

    def release(address: int) -> None:
        structure = kind.from_address(address)
        parts = [structure.children[place] for place in range(structure.n_children)]
        if structure.dictionary:
            parts.append(structure.dictionary)
        for part in parts:
            if part.contents.release:
                part.contents.release(addressof(part.contents))
        _kept.pop(structure.private_data, None)
        structure.release = _RELEASE()

    return _RELEASE(release)


_release_schema, _release_array = _releaser(_Schema), _releaser(_Array)


def _fill_schema(
    out: _Schema, name: str, code: bytes, children: Sequence[_Schema], texts: _Schema | None, flags: int = _NULLABLE
) -> None:
    held = name.encode()
    out.format, out.name, out.flags = code, held, flags
    out.n_children = len(children)
    pointers = _array_type(POINTER(_Schema), len(children))(*map(pointer, children))
    out.children = cast(pointers, POINTER(POINTER(_Schema)))
    if texts is not None:
        out.dictionary = pointer(texts)
    out.release = _release_schema
    _keep(out, code, held, children, pointers, texts)


def _field_schema(name: str, kind: str, nullable: bool = True) -> _Schema:
    out = _Schema()
    texts: _Schema | None = None
    if kind == "string":
        texts = _field_schema("", "text")
    children = [_field_schema(*each) for each in inner_types(kind)]
    code = (b"+l" if kind.startswith("list") else b"+s") if children else FORMATS[kind]
    _fill_schema(out, name, code, children, texts, _NULLABLE if nullable else 0)
    return out


def _write_schema(out: _Schema, fields: Sequence[ArrowField]) -> None:
    _fill_schema(out, "", b"+s", [_field_schema(each.name, each.type, each.nullable) for each in fields], None)


def _address(buffer: Any) -> int | None:
    if buffer is None or not len(buffer):
        return None
    return addressof(ctypes.c_char.from_buffer(buffer))


def _fill_array(
    out: _Array, length: int, nulls: int, buffers: Sequence[Any], children: Sequence[_Array], texts: _Array | None
) -> None:
    out.length, out.null_count, out.offset = length, nulls, 0
    out.n_buffers, out.n_children = len(buffers), len(children)
    addresses = _array_type(c_void_p, len(buffers))(*map(_address, buffers))
    pointers = _array_type(POINTER(_Array), len(children))(*map(pointer, children))
    out.buffers = cast(addresses, POINTER(c_void_p))
    out.children = cast(pointers, POINTER(POINTER(_Array)))
    if texts is not None:
        out.dictionary = pointer(texts)
    out.release = _release_array
    _keep(out, buffers, addresses, children, pointers, texts)


def _text_array(texts: Sequence[str]) -> _Array:
    """Give texts as Arrow holds them: where each ends, and their bytes."""
    return _column_array(len(texts), column_of("text", texts))


def _column_array(length: int, column: ArrowColumn) -> _Array:
    out = _Array()
    texts = None if column.texts is None else _text_array(column.texts)
    buffers = [each for each in (column.values, column.data) if each is not None]
    children = [_column_array(*each) for each in column.children]
    _fill_array(out, length, column.nulls, (column.valid, *buffers), children, texts)
    return out


def _write_array(out: _Array, batch: Batch) -> None:
    length, columns = batch
    _fill_array(out, length, 0, (None,), [_column_array(length, column) for column in columns], None)


def export_stream(fields: Sequence[ArrowField], batches: Iterator[Batch]) -> object:
    """Give a capsule `arrow_array_stream` of the batches, which are taken when the consumer asks for them.

    What taking one raises becomes an error of the stream, with the exception's text; Ctrl-C too, which would be lost.
    """
    message = c_char_p()

    def guarded(take: Callable[[], None]) -> int:
        try:
            take()
        except BaseException as error:
            message.value = f"{type(error).__name__}: {error}".encode("utf-8", "replace")
            return errno.EIO
        return 0

    def get_schema(_stream: int, out: Any) -> int:
        # What the consumer gives may hold anything.
        ctypes.memset(out, 0, ctypes.sizeof(_Schema))
        return guarded(lambda: _write_schema(out.contents, fields))

    def get_next(_stream: int, out: Any) -> int:
        def take() -> None:
            # As it is then, it says that this is the end: an array that was released.
            ctypes.memset(out, 0, ctypes.sizeof(_Array))
            batch = next(batches, None)
            if batch is not None:
                _write_array(out.contents, batch)

        return guarded(take)

    def get_last_error(_stream: int) -> int | None:
        return cast(message, c_void_p).value

    callbacks = _GET_SCHEMA(get_schema), _GET_NEXT(get_next), _GET_ERROR(get_last_error)
    stream = _Stream(*callbacks, _RELEASE_STREAM)
    _keep(stream, callbacks, message, batches)
    key = addressof(stream)
    _exported[key] = stream
    return _new_capsule(key, _CAPSULE_NAME, _DESTROY)


def _release_stream(address: int) -> None:
    stream = _Stream.from_address(address)
    _kept.pop(stream.private_data, None)
    stream.release = _RELEASE()


_CAPSULE_NAME = b"arrow_array_stream"
_exported: dict[int, _Stream] = {}
"""The structures in capsules, by their address."""
_new_capsule = ctypes.PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", ctypes.pythonapi))
_capsule_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


def _destroy(capsule: int) -> None:
    """Release what no consumer took, and forget the structure."""
    address = _capsule_pointer(capsule, _CAPSULE_NAME)
    stream = _exported.pop(address, None)
    if stream is not None and stream.release:
        stream.release(byref(stream))


_RELEASE_STREAM = _RELEASE(_release_stream)
_DESTROY = ctypes.PYFUNCTYPE(None, c_void_p)(_destroy)
