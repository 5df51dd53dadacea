# cython: language_level=3, annotation_typing=False, boundscheck=True, nonecheck=True
"""Reads snapshots."""

import struct
from collections import Counter, OrderedDict, deque
from typing import IO, Any

from kafkasniff.snapshots.classes import ClassFields, SnapshotError, known_class
from kafkasniff.snapshots.tags import (
    BYTE_ARRAY,
    BYTES,
    CLASS,
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
    VERSION,
    VIEW,
)
from kafkasniff.snapshots.writing import without_collecting

_TOGETHER = 1 << 20
"""Bytes that are taken from the file at once."""
_LONGEST_NUMBER = 10
"""Bytes of a number below 2^64."""
_FLOAT = struct.Struct("<d")


def read_snapshot(file: IO[bytes]) -> Any:
    """Give what `write_snapshot` took; others may stand behind it, but nobody knows where.

    Raises SnapshotError, and OSError where it cannot be read.
    """
    with without_collecting():
        try:
            return _Reader(file).read()
        except (ValueError, TypeError, IndexError, KeyError, AttributeError, OverflowError, MemoryError) as error:
            raise SnapshotError(f"is damaged: {type(error).__name__}: {error}") from None


class _Unset:
    """In the place of a field that has no value, and of a shared value that is not whole yet."""


class _Reader:
    """Makes the objects of a snapshot in the order in which they were written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._data = b""
        self._at = 0
        self._classes: list[ClassFields] = []
        self._fields_of: dict[type, ClassFields] = {}
        self._shared: list[Any] = []
        self._later: list[int] = []
        """Tags of what is shared and still empty, by number; -1 for all else."""
        self._rebuilt: list[Any] = []
        self._depth = 0

    def read(self) -> Any:
        """Give what was written."""
        self._have(len(HEADER))
        if self._data[: len(HEADER)] != HEADER:
            raise SnapshotError(f"is no snapshot of version {VERSION}")
        self._at = len(HEADER)
        found = self._value()
        while (tag := self._tag()) != END:
            number = self._number() if tag == CONTENTS else -1
            if number < 0 or self._later[number] < 0:
                raise SnapshotError(f"is damaged: {tag} where contents are to be")
            tag, self._later[number] = self._later[number], -1
            self._fill(tag, self._shared[number])
        for each in self._rebuilt:
            each.rebuild()
        return found

    def _have(self, count: int) -> int:
        """Take so many bytes from the file, as far as it has them, if they are not there; give how many there are."""
        left = len(self._data) - self._at
        if left < count:
            parts = [self._data[self._at :]]
            while left < count and (more := self._file.read(max(_TOGETHER, min(count - left, _TOGETHER << 4)))):
                parts.append(more)
                left += len(more)
            self._data = b"".join(parts)
            self._at = 0
        return left

    def _tag(self) -> int:
        if len(self._data) - self._at <= _LONGEST_NUMBER and not self._have(_LONGEST_NUMBER + 1):
            raise SnapshotError("is damaged: it ends too early")
        self._at += 1
        return self._data[self._at - 1]

    def _number(self) -> int:
        if len(self._data) - self._at <= _LONGEST_NUMBER:
            self._have(_LONGEST_NUMBER + 1)
        data, at = self._data, self._at
        number, shift = 0, 0
        while True:
            byte = data[at]
            at += 1
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift > 56:
                raise SnapshotError("is damaged: a number is too long")
        self._at = at
        return number

    def _bytes(self) -> bytes:
        length = self._number()
        if len(self._data) - self._at < length and self._have(length) < length:
            raise SnapshotError("is damaged: it ends too early")
        start = self._at
        self._at += length
        return self._data[start : start + length]

    def _text(self) -> str:
        return self._bytes().decode("utf-8", "surrogatepass")

    def _class(self) -> ClassFields:
        return self._classes[self._number()]

    def _value(self) -> Any:
        tag = self._tag()
        if tag >= SMALL:
            return tag - SMALL
        if tag == NONE:
            return None
        if tag == INTEGER:
            number = self._number()
            return -((number + 1) >> 1) if number & 1 else number >> 1
        if tag == REFERENCE:
            found = self._shared[self._number()]
            if found is _Unset:
                raise SnapshotError("is damaged: a value holds itself")
            return found
        if tag == TEXT:
            return self._text()
        if tag == BYTES:
            return self._bytes()
        if tag in (TRUE, FALSE):
            return tag == TRUE
        if tag == FLOAT:
            if self._have(_FLOAT.size) < _FLOAT.size:
                raise SnapshotError("is damaged: it ends too early")
            self._at += _FLOAT.size
            return _FLOAT.unpack_from(self._data, self._at - _FLOAT.size)[0]
        if tag == LARGE_INTEGER:
            return int(self._bytes())
        if tag == VIEW:
            return memoryview(self._bytes())
        if tag == UNSET:
            return _Unset
        self._depth += 1
        if self._depth > 2 * MOST_NESTED_AT_ALL:
            raise SnapshotError("is damaged: it is nested too deep")
        found = self._nested(tag)
        self._depth -= 1
        return found

    def _nested(self, tag: int) -> Any:
        """Give what has others in it."""
        while tag == CLASS:
            self._define()
            tag = self._tag()
        if tag in (SHARED, LATER):
            return self._numbered(tag)
        if LIST <= tag <= OBJECT:
            found = self._empty(tag)
            self._fill(tag, found)
            return found
        if tag == SUB_TEXT:
            cls: Any = self._class().cls
            return str.__new__(cls, self._text())
        if tag == NAMED_TUPLE:
            cls = self._class().cls
            return tuple.__new__(cls, self._values(self._number()))
        if tag == TUPLE:
            return tuple(self._values(self._number()))
        if tag == FROZEN_SET:
            return frozenset(self._values(self._number()))
        raise SnapshotError(f"has a value of an unknown kind: {tag}")

    def _numbered(self, kind: int) -> Any:
        """Give what others may refer to."""
        place = len(self._shared)
        self._shared.append(_Unset)
        self._later.append(-1)
        tag = self._tag()
        while tag == CLASS:
            self._define()
            tag = self._tag()
        if LIST <= tag <= OBJECT:
            found = self._shared[place] = self._empty(tag)
            if kind == LATER:
                self._later[place] = tag
            else:
                self._fill(tag, found)
            return found
        # One byte back: a value that is whole at once.
        self._at -= 1
        found = self._shared[place] = self._value()
        return found

    def _define(self) -> None:
        """Take the class that comes."""
        module, name = self._text(), self._text()
        names: list[str] = []
        for _ in range(self._number()):
            names.append(self._text())
        found = known_class(module, name, tuple(names))
        self._classes.append(found)
        self._fields_of[found.cls] = found

    def _values(self, count: int) -> list[Any]:
        found: list[Any] = []
        while len(found) < count:
            found.append(self._value())
        return found

    def _empty(self, tag: int) -> Any:
        """Make what is to be filled."""
        if tag == LIST:
            return []
        if tag == DICT:
            return {}
        if tag == OBJECT:
            found = self._class()
            each = found.cls.__new__(found.cls)
            if found.rebuilds:
                self._rebuilt.append(each)
            return each
        if tag == SET:
            return set()
        if tag == DEQUE:
            most = self._number()
            return deque(maxlen=most - 1 if most else None)
        if tag == BYTE_ARRAY:
            return bytearray()
        return OrderedDict() if tag == ORDERED_DICT else Counter()

    def _fill(self, tag: int, each: Any) -> None:
        """Take what is in it."""
        if tag == LIST:
            count = self._number()
            for _ in range(count):
                each.append(self._value())
        elif tag == OBJECT:
            self._fields(each)
        elif tag in (DICT, ORDERED_DICT, COUNTER):
            self._items(each)
        elif tag == SET:
            each.update(self._values(self._number()))
        elif tag == DEQUE:
            each.extend(self._values(self._number()))
        else:
            assert tag == BYTE_ARRAY
            each += self._bytes()

    def _items(self, each: Any) -> None:
        count = self._number()
        for _ in range(count):
            key = self._value()
            each[key] = self._value()

    def _fields(self, each: Any) -> None:
        found = self._fields_of[type(each)]
        state = found.new.copy()
        names, places = found.names, found.places
        # Compiled, sooner than by `zip`.
        for index in range(len(names)):
            value, place = self._value(), places[index]
            if place >= 0:
                state[place] = value
            elif value is not _Unset:
                object.__setattr__(each, names[index], value)
        if found.compiled:
            each.__setstate_cython__(tuple(state))
        for name in found.rebuilt:
            object.__setattr__(each, name, None)
        if found.holds_items:
            self._items(each)
