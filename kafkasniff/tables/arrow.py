"""Arrow's C data interface: columns and batches for whoever takes `__arrow_c_stream__`.

The structures are those of https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html, the
capsules those of the PyCapsule interface beside them. All memory belongs to Python objects, which are kept until the
consumer calls `release`.
"""

import ctypes
import errno
from collections.abc import Callable, Iterator, Sequence
from ctypes import POINTER, Structure, addressof, byref, c_char_p, c_int, c_int64, c_void_p, cast, pointer, py_object
from dataclasses import dataclass
from typing import Any

_RELEASE = ctypes.CFUNCTYPE(None, c_void_p)
_NULLABLE = 2

FORMATS = {
    "int16": b"s",
    "int32": b"i",
    "int64": b"l",
    "double": b"g",
    "string": b"u",
    "timestamp[us, tz=UTC]": b"tsu:UTC",
}
"""Arrow's format strings of types."""


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


@dataclass(frozen=True, slots=True)
class ArrowField:
    """A column of a stream: its name and its type, a key of `FORMATS`. A string is a dictionary's."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class ArrowColumn:
    """The values of a column in a batch."""

    values: Any
    """A buffer: the values, or int32 places in `texts`."""
    valid: Any
    """A buffer of bits, the lowest first: 0 where the value is null. None where no value is."""
    nulls: int
    texts: Sequence[str] | None = None
    """What places in a dictionary stand for."""


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


def _fill_schema(out: _Schema, name: str, code: bytes, children: Sequence[_Schema], texts: _Schema | None) -> None:
    held = name.encode()
    out.format, out.name, out.flags = code, held, _NULLABLE
    out.n_children = len(children)
    pointers = (POINTER(_Schema) * len(children))(*map(pointer, children))
    out.children = cast(pointers, POINTER(POINTER(_Schema)))
    if texts is not None:
        out.dictionary = pointer(texts)
    out.release = _release_schema
    _keep(out, code, held, children, pointers, texts)


def _write_schema(out: _Schema, fields: Sequence[ArrowField]) -> None:
    children = []
    for field in fields:
        child, texts = _Schema(), None
        code = FORMATS[field.type]
        if field.type == "string":
            texts = _Schema()
            _fill_schema(texts, "", code, (), None)
            code = FORMATS["int32"]
        _fill_schema(child, field.name, code, (), texts)
        children.append(child)
    _fill_schema(out, "", b"+s", children, None)


def _address(buffer: Any) -> int | None:
    if buffer is None or not len(buffer):
        return None
    return addressof(ctypes.c_char.from_buffer(buffer))


def _fill_array(
    out: _Array, length: int, nulls: int, buffers: Sequence[Any], children: Sequence[_Array], texts: _Array | None
) -> None:
    out.length, out.null_count, out.offset = length, nulls, 0
    out.n_buffers, out.n_children = len(buffers), len(children)
    addresses = (c_void_p * len(buffers))(*map(_address, buffers))
    pointers = (POINTER(_Array) * len(children))(*map(pointer, children))
    out.buffers = cast(addresses, POINTER(c_void_p))
    out.children = cast(pointers, POINTER(POINTER(_Array)))
    if texts is not None:
        out.dictionary = pointer(texts)
    out.release = _release_array
    _keep(out, buffers, addresses, children, pointers, texts)


def _text_array(texts: Sequence[str]) -> _Array:
    """Give texts as Arrow holds them: where each ends, and their bytes. What is no Unicode becomes U+FFFD."""
    encoded = [text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").encode() for text in texts]
    ends = (ctypes.c_int32 * (len(texts) + 1))()
    for place, each in enumerate(encoded):
        ends[place + 1] = ends[place] + len(each)
    out = _Array()
    # Never empty: a consumer may want an address where there are texts of no bytes.
    _fill_array(out, len(texts), 0, (None, ends, bytearray(b"".join(encoded) or b"\0")), (), None)
    return out


def _write_array(out: _Array, batch: Batch) -> None:
    length, columns = batch
    children = []
    for column in columns:
        child = _Array()
        texts = None if column.texts is None else _text_array(column.texts)
        _fill_array(child, length, column.nulls, (column.valid, column.values), (), texts)
        children.append(child)
    _fill_array(out, length, 0, (None,), children, None)


def export_stream(fields: Sequence[ArrowField], batches: Iterator[Batch]) -> object:
    """Give a capsule `arrow_array_stream` of the batches, which are taken when the consumer asks for them.

    What taking one raises becomes an error of the stream, with the exception's text.
    """
    message = c_char_p()

    def guarded(take: Callable[[], None]) -> int:
        try:
            take()
        except Exception as error:
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
