# cython: language_level=3, annotation_typing=False, boundscheck=True, nonecheck=True
"""Writes snapshots."""

import gc
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.snapshots.classes import ClassFields, fields_of, state_of
from kafkasniff.snapshots.tags import (
    BYTE_ARRAY,
    BYTES,
    CLASS,
    CONTAINERS,
    CONTENTS,
    COUNTER,
    DEQUE,
    DICT,
    END,
    FALSE,
    FLOAT,
    FROZEN_SET,
    HEADER,
    INTEGER,
    LARGE_INTEGER,
    LATER,
    LIST,
    MOST_NESTED,
    MOST_NESTED_AT_ALL,
    NAMED_TUPLE,
    NONE,
    OBJECT,
    ORDERED_DICT,
    REFERENCE,
    SET,
    SHARED,
    SMALL,
    SUB_TEXT,
    TEXT,
    TRUE,
    TUPLE,
    UNSET,
    VIEW,
)

_SHORT = 8
"""Texts and bytes that are shorter are never numbered."""
_LARGEST = 1 << 62
"""Integers beyond it are written as text."""
_TOGETHER = 1 << 20
"""Bytes that are given to the file at once."""
_OWN = 2
"""References to a value whose only holder is being written: the holder's, and the variable here."""

_FLOAT = struct.Struct("<d")


def write_snapshot(what: Any, file: IO[bytes], wanted: type | None = None) -> list[Any]:
    """Write objects, and all that they refer to; give those of the class that is `wanted`.

    Raises TypeError where something is no value that a snapshot can hold, OSError where it cannot be written.
    """
    writer = _Writer(file, wanted)
    with without_collecting():
        writer.write(what)
    return writer.found


class _Class:
    """A class that was met."""

    __slots__ = ("fields", "number")

    def __init__(self, number: int, fields: ClassFields) -> None:
        self.number = number
        self.fields = fields


class _Writer:
    """Writes values in the order in which they are met."""

    def __init__(self, file: IO[bytes], wanted: type | None) -> None:
        self.classes: dict[type, _Class] = {}
        self._file = file
        self._wanted = wanted
        self.found: list[Any] = []
        """What was met of the class that is wanted."""
        self._out = bytearray()
        self._numbers: dict[int, int] = {}
        """By `id`: all of them live until the end, as others hold them."""
        self._unfinished: set[int] = set()
        """Tuples and the like that are being written, by `id`."""
        self._later: list[tuple[int, Any]] = []
        self._depth = 0

    def write(self, what: Any) -> None:
        """Write all of it."""
        self._out += HEADER
        self._value(what, 0)
        while self._later:
            number, each = self._later.pop()
            self._out.append(CONTENTS)
            self._number(number)
            kind = CONTAINERS.get(type(each), OBJECT)
            self._contents(kind, each)
        self._out.append(END)
        self._file.write(bytes(self._out))

    def _number(self, number: int) -> None:
        """Write a number that is not negative."""
        out = self._out
        while number >= 0x80:
            out.append(number & 0x7F | 0x80)
            number >>= 7
        out.append(number)

    def _bytes(self, data: bytes) -> None:
        self._number(len(data))
        self._out += data

    def _value(self, value: Any, own: int) -> None:
        """Write a value, to which whoever asks for it has `own` references."""
        out = self._out
        if value is None:
            out.append(NONE)
            return
        kind = type(value)
        if kind is int:
            self._integer(value)
            return
        if kind is bool:
            out.append(TRUE if value else FALSE)
            return
        if kind is float:
            out.append(FLOAT)
            out += _FLOAT.pack(value)
            return
        if kind is memoryview:
            out.append(VIEW)
            self._bytes(bytes(value))
            return
        if kind is str or kind is bytes:
            if len(value) >= _SHORT and not is_alone(value, own):
                if self._is_written(value):
                    return
                out.append(SHARED)
            out.append(TEXT if kind is str else BYTES)
            self._bytes(value.encode("utf-8", "surrogatepass") if kind is str else value)
            return
        deep = self._depth >= MOST_NESTED
        if deep or not is_alone(value, own):
            if self._is_written(value) or (deep and self._put_off(value, kind)):
                return
            out.append(SHARED)
        self._nested(value, kind)

    def _is_written(self, value: Any) -> bool:
        """Write the number of a value that was met before; give one to any other."""
        key = id(value)
        number = self._numbers.get(key)
        if number is None:
            self._numbers[key] = len(self._numbers)
            return False
        if key in self._unfinished:
            raise TypeError("a tuple holds itself")
        self._out.append(REFERENCE)
        self._number(number)
        return True

    def _integer(self, value: int) -> None:
        if -_LARGEST < value < _LARGEST:
            small = value
            if 0 <= small < SMALL:
                self._out.append(SMALL + small)
            else:
                self._out.append(INTEGER)
                self._number(small << 1 if small >= 0 else ((-small) << 1) - 1)
        else:
            self._out.append(LARGE_INTEGER)
            self._bytes(str(value).encode())

    def _put_off(self, value: Any, kind: Any) -> bool:
        """Write what there is to make of a value that was just numbered; False where it must be whole at once."""
        tag = CONTAINERS.get(kind)
        if tag is None:
            if kind is frozenset or issubclass(kind, (tuple, str)):
                return False
            if self._class(kind).fields.frozen:
                return False
            tag = OBJECT
        elif tag == BYTE_ARRAY:
            return False
        self._out.append(LATER)
        self._head(tag, value)
        self._later.append((self._numbers[id(value)], value))
        return True

    def _nested(self, value: Any, kind: Any) -> None:
        """Write what holds others, with these."""
        out = self._out
        self._depth += 1
        if self._depth > MOST_NESTED_AT_ALL:
            raise TypeError("tuples are nested too deep")
        tag = CONTAINERS.get(kind, OBJECT)
        if tag != OBJECT:
            self._head(tag, value)
            self._contents(tag, value)
        elif kind is tuple or kind is frozenset:
            self._whole(TUPLE if kind is tuple else FROZEN_SET, None, value)
        elif issubclass(kind, tuple):
            self._whole(NAMED_TUPLE, kind, value)
        elif issubclass(kind, str):
            found = self._class(kind)
            out.append(SUB_TEXT)
            self._number(found.number)
            self._bytes(str(value).encode("utf-8", "surrogatepass"))
        else:
            self._head(OBJECT, value)
            self._contents(OBJECT, value)
        self._depth -= 1
        if len(out) > _TOGETHER:
            self._file.write(bytes(out))
            out.clear()

    def _whole(self, tag: int, cls: Any, values: Any) -> None:
        """Write what is whole only with its values."""
        found = self._class(cls) if cls is not None else None
        self._out.append(tag)
        if found is not None:
            self._number(found.number)
        self._number(len(values))
        self._unfinished.add(id(values))
        for each in values:
            self._value(each, _OWN)
        self._unfinished.discard(id(values))

    def _head(self, tag: int, value: Any) -> None:
        """Write what is to be made, as yet empty."""
        found = self._class(type(value)) if tag == OBJECT else None
        self._out.append(tag)
        if found is not None:
            self._number(found.number)
        elif tag == DEQUE:
            self._number(0 if value.maxlen is None else value.maxlen + 1)

    def _contents(self, tag: int, value: Any) -> None:
        """Write what is in it."""
        if tag == OBJECT:
            self._fields(value)
        elif tag == BYTE_ARRAY:
            self._bytes(bytes(value))
        elif tag == LIST:
            self._list(value)
        elif tag == DICT:
            self._dict(value)
        elif tag in (ORDERED_DICT, COUNTER):
            self._number(len(value))
            for key, each in value.items():
                self._value(key, _OWN)
                self._value(each, _OWN)
        else:
            assert tag in (SET, DEQUE)
            self._number(len(value))
            for each in value:
                self._value(each, _OWN)

    def _list(self, values: list[Any]) -> None:
        self._number(len(values))
        for each in values:
            self._value(each, _OWN)

    def _dict(self, items: dict[Any, Any]) -> None:
        self._number(len(items))
        for key, each in items.items():
            self._value(key, _OWN)
            self._value(each, _OWN)

    def _fields(self, each: Any) -> None:
        cls = type(each)
        if cls is self._wanted:
            self.found.append(each)
        known = self.classes[cls]
        found = known.fields
        state = state_of(each) if found.compiled else ()
        names, places = found.names, found.places
        # Compiled, sooner than by `zip`.
        for index in range(len(names)):
            place = places[index]
            if place >= 0:
                # The state holds it too.
                value = state[place]
                self._value(value, _OWN + 1)
                continue
            value = getattr(each, names[index], _Unset)
            if value is _Unset:
                self._out.append(UNSET)
            else:
                self._value(value, _OWN)
        if found.holds_items:
            self._dict(dict(each))

    def _class(self, cls: Any) -> _Class:
        """Give a class, which is written before its first object."""
        found = self.classes.get(cls)
        if found is None:
            found = self.classes[cls] = _Class(len(self.classes), fields_of(cls))
            self._out.append(CLASS)
            names = found.fields.names
            for text in (cls.__module__, cls.__qualname__):
                self._bytes(text.encode())
            self._number(len(names))
            for text in names:
                self._bytes(text.encode())
        return found


class _Unset:
    """In the place of a field that has no value."""


@contextmanager
def without_collecting() -> Iterator[None]:
    """Do not look for garbage while millions of objects are made, none of which is."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


if not cython.compiled:

    def is_alone(value: Any, own: int) -> bool:
        """Tell whether a value has one holder only: `own` references. Plain Python numbers all."""
        return False
