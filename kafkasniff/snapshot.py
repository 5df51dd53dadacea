# cython: language_level=3, annotation_typing=False, boundscheck=True, nonecheck=True
"""Snapshots: objects of the engine and the rules, written field by field, and read back as they were.

A class declares its fields once: as a dataclass, a named tuple, or by `__slots__`. Those that it names in `REBUILT` are
left out: they are None until its method `rebuild`, where it has one, makes them again, when all is there. What is
shared stays shared.

A snapshot is a row of msgpack values. The first names the format and its version. Each other one is a class with the
names of its fields, or an object: what it is, and the values of its fields in that order. An object is named by its
number, which is its place among the objects. Who reads a snapshot makes nothing but plain values and objects of the
engine's and the rules' classes, sets their fields, and calls only `rebuild`: whatever it holds, it chooses no code.
"""

import gc
import importlib
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import cache
from typing import IO, Any, Generic, NamedTuple

import msgpack

FORMAT = "kafkasniff snapshot"
VERSION = 1

_PACKAGES = ("capture", "tcp", "protocol", "calls", "diagnose", "pipeline")
"""Of kafkasniff: whose classes a snapshot may hold."""

_SHARED_BYTES = 64
"""Bytes from which on they are written once, however many fields have them."""
_LARGEST = 1 << 62
"""Integers beyond it are written as text."""
_MOST_BYTES = 1 << 31

_REFERENCE, _TUPLE, _NAMED_TUPLE, _FROZEN_SET, _TEXT, _VIEW, _INTEGER, _UNSET = range(8)
"""What an array in a value is, by its first item."""

_END, _CLASS, _LIST, _DICT, _ORDERED_DICT, _COUNTER, _SET, _DEQUE, _BYTEARRAY, _BYTES = range(-10, 0)
"""What is written where it is no object of a class; one of these is named by the number of its class."""
_CONTAINERS: dict[type, int] = {
    list: _LIST,
    dict: _DICT,
    OrderedDict: _ORDERED_DICT,
    Counter: _COUNTER,
    set: _SET,
    deque: _DEQUE,
    bytearray: _BYTEARRAY,
    bytes: _BYTES,
}
_MAPPINGS = (_DICT, _ORDERED_DICT, _COUNTER)
_PLAIN = frozenset((type(None), bool, float, str))


class SnapshotError(Exception):
    """This is no snapshot, or one that this version of kafkasniff cannot read; the message says which."""


class _Class(NamedTuple):
    """How objects of a class are written."""

    cls: type
    names: tuple[str, ...]
    """Of the fields that are written."""
    compiled: tuple[str, ...]
    """Names of C attributes, in the order in which Cython gives and takes them; empty where there are none."""
    rebuilt: tuple[str, ...]
    """Names of others, but for those of C."""
    frozen: bool
    """Whether it may be a key, so that it must be whole before others are."""
    places: tuple[int, ...]
    """Where each of the fields that are written stands among the C attributes; -1 for those that are none."""


@cache
def _class_of(cls: type) -> _Class:
    """Tell how objects of a class are written. Raises TypeError where it does not declare its fields."""
    rebuilt: tuple[str, ...] = getattr(cls, "REBUILT", ())
    names: list[str] = []
    of_c: list[str] = []
    if is_dataclass(cls):
        names = [each.name for each in fields(cls)]
    elif issubclass(cls, tuple):
        names = [*cls._fields]  # type: ignore[attr-defined]
    else:
        for each in reversed(cls.__mro__[:-1]):
            if each in (dict, str, Generic):
                continue
            if "__slots__" not in vars(each):
                raise TypeError(f"{each.__module__}.{each.__qualname__} does not declare its fields in __slots__")
            own = [vars(each)["__slots__"]] if isinstance(vars(each)["__slots__"], str) else vars(each)["__slots__"]
            names += own
            of_c += own if "__reduce_cython__" in vars(each) else ()
    compiled = tuple(sorted(of_c))
    frozen = is_dataclass(cls) and cls.__hash__ is not None and cls.__hash__ is not object.__hash__
    written = tuple(name for name in names if name not in rebuilt)
    places = tuple(compiled.index(name) if name in compiled else -1 for name in written)
    return _Class(cls, written, compiled, tuple(name for name in rebuilt if name not in compiled), frozen, places)


def state_classes(objects: Any) -> set[type]:
    """Give the classes of all that a snapshot of `objects` would hold."""
    writer = _Writer()
    for _ in writer.write(objects):
        pass
    return set(writer.numbers_of_classes)


def write_snapshot(what: Any, file: IO[bytes], each: Callable[[Any], None] | None = None) -> None:
    """Write objects, and all that they refer to; `each` is told of every object of a class.

    Raises TypeError where something is no value that a snapshot can hold, OSError where it cannot be written.
    """
    pack = msgpack.Packer(unicode_errors="surrogatepass", autoreset=True).pack
    writer = _Writer(each)
    with _without_collecting():
        file.write(pack([FORMAT, VERSION]))
        for record in writer.write(what):
            file.write(pack(record))
        file.write(pack([_END]))


def read_snapshot(file: IO[bytes]) -> Any:
    """Give what `write_snapshot` took; others may stand behind it, but nobody knows where.

    Raises SnapshotError, and OSError where it cannot be read.
    """
    # Millions of objects are made, and none of them is garbage.
    with _without_collecting():
        try:
            records = msgpack.Unpacker(
                file, raw=False, strict_map_key=False, unicode_errors="surrogatepass", max_buffer_size=_MOST_BYTES
            )
            if list(next(records, ())) != [FORMAT, VERSION]:
                raise SnapshotError(f"is no snapshot of version {VERSION}")
            return _Reader(records).read()
        except (
            ValueError,
            TypeError,
            IndexError,
            KeyError,
            AttributeError,
            msgpack.exceptions.UnpackException,
        ) as error:
            raise SnapshotError(f"is damaged: {type(error).__name__}: {error}") from None


class _Writer:
    """Numbers objects as they are met, and gives a record for each."""

    def __init__(self, told: Callable[[Any], None] | None = None) -> None:
        self.numbers_of_classes: dict[type, int] = {}
        self._numbers: dict[int, int] = {}
        # Held here, that no other takes the `id` of one.
        self._objects: list[Any] = []
        self._told = told
        self._new_classes: list[list[Any]] = []

    def write(self, what: Any) -> Iterator[list[Any]]:
        """Give the records, that of `what` first; not by calls within calls, as objects may be chained."""
        self._reference([what])
        done = 0
        while done < len(self._objects):
            each = self._objects[done]
            done += 1
            kind = _CONTAINERS.get(type(each))
            record = self._object(each) if kind is None else self._container(kind, each)
            # Classes come before the first object of theirs.
            yield from self._new_classes
            self._new_classes.clear()
            yield record

    def _reference(self, each: Any) -> list[int]:
        number = self._numbers.get(id(each))
        if number is None:
            number = self._numbers[id(each)] = len(self._objects)
            self._objects.append(each)
        return [_REFERENCE, number]

    def _container(self, kind: int, each: Any) -> list[Any]:
        if kind in (_BYTES, _BYTEARRAY):
            return [kind, bytes(each)]
        if kind in _MAPPINGS:
            record = [kind]
            for key, one in each.items():
                record.append(self._value(key))
                record.append(self._value(one))
            return record
        values = [self._value(one) for one in each]
        return [kind, each.maxlen, *values] if kind == _DEQUE else [kind, *values]

    def _object(self, each: Any) -> list[Any]:
        cls: type = type(each)
        number = self._number_of(cls)
        if self._told is not None:
            self._told(each)
        found = _class_of(cls)
        state = _state(each) if found.compiled else ()
        record: list[Any] = [number]
        for name, place in zip(found.names, found.places, strict=True):
            value = state[place] if place >= 0 else getattr(each, name, _Unset)
            record.append([_UNSET] if value is _Unset else self._value(value))
        if isinstance(each, dict):
            record.append(self._reference(dict(each)))
        return record

    def _number_of(self, cls: type) -> int:
        number = self.numbers_of_classes.get(cls)
        if number is None:
            number = self.numbers_of_classes[cls] = len(self.numbers_of_classes)
            self._new_classes.append([_CLASS, cls.__module__, cls.__qualname__, *_class_of(cls).names])
        return number

    def _value(self, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind is int:
            return value if -_LARGEST < value < _LARGEST else [_INTEGER, str(value)]
        if kind is bytes and len(value) < _SHARED_BYTES:
            return value
        if kind is tuple:
            return [_TUPLE, *[self._value(each) for each in value]]
        if kind is frozenset:
            return [_FROZEN_SET, *[self._value(each) for each in value]]
        if kind is memoryview:
            return [_VIEW, bytes(value)]
        if issubclass(kind, tuple):
            return [_NAMED_TUPLE, self._number_of(kind), *[self._value(each) for each in value]]
        if issubclass(kind, str):
            return [_TEXT, self._number_of(kind), str(value)]
        return self._reference(value)


class _Unset:
    """In the place of a field that has no value."""


def _state(each: Any) -> tuple[Any, ...]:
    """Give the C attributes of an object, by name: as Cython gives them to whoever copies it."""
    made = each.__reduce_cython__()
    state: tuple[Any, ...] = made[2] if len(made) > 2 else made[1][2]
    return state


class _Reader:
    """Makes the objects of a snapshot: first all of them empty, then their fields, then what compares by these."""

    def __init__(self, records: Iterator[Any]) -> None:
        self._classes: list[_Class] = []
        self._records: list[list[Any]] = []
        self._objects: list[Any] = []
        self._whole: set[int] = set()
        self._items: list[tuple[dict[Any, Any], dict[Any, Any]]] = []
        """What is in objects that are dicts too."""
        for record in records:
            if record[0] == _END:
                break
            if record[0] == _CLASS:
                self._classes.append(_known_class(*record[1:]))
            else:
                self._records.append(record)
                self._objects.append(self._empty(record))
        else:
            raise SnapshotError("is damaged: it ends too early")

    def read(self) -> Any:
        """Give the first object."""
        for number in range(len(self._records)):
            self._fill(number)
        for each, record in zip(self._objects, self._records, strict=True):
            # Keys are whole by now.
            if record[0] in _MAPPINGS:
                values = [self._value(value) for value in record[1:]]
                each.update(dict(zip(values[::2], values[1::2], strict=True)))
            elif record[0] == _SET:
                each.update([self._value(value) for value in record[1:]])
        for each, items in self._items:
            each.update(items)
        for each, record in zip(self._objects, self._records, strict=True):
            if record[0] >= 0 and hasattr(each, "rebuild"):
                each.rebuild()
        return self._objects[0][0]

    def _empty(self, record: list[Any]) -> Any:
        kind = record[0]
        if kind >= 0:
            cls: Any = self._classes[kind].cls
            return cls.__new__(cls)
        if kind in (_BYTES, _BYTEARRAY):
            return _EMPTY[kind](record[1])
        return deque(maxlen=record[1]) if kind == _DEQUE else _EMPTY[kind]()

    def _fill(self, number: int) -> None:
        if number in self._whole:
            return
        self._whole.add(number)
        record, each = self._records[number], self._objects[number]
        kind = record[0]
        if kind == _LIST:
            each.extend([self._value(value) for value in record[1:]])
        elif kind == _DEQUE:
            each.extend([self._value(value) for value in record[2:]])
        elif kind >= 0:
            found = self._classes[kind]
            if isinstance(each, dict):
                self._items.append((each, self._value(record.pop())))
            values = dict(zip(found.names, [self._value(value) for value in record[1:]], strict=True))
            if found.compiled:
                # What is left out stays as it is in a new object.
                before = zip(found.compiled, _state(each), strict=True)
                each.__setstate_cython__(tuple([values.pop(name, old) for name, old in before]))
            values |= dict.fromkeys(found.rebuilt)
            for name, value in values.items():
                if value is not _Unset:
                    object.__setattr__(each, name, value)

    def _value(self, value: Any) -> Any:
        if type(value) is not list:
            return value
        kind = value[0]
        if kind == _REFERENCE:
            number = value[1]
            record = self._records[number]
            if record[0] >= 0 and self._classes[record[0]].frozen:
                self._fill(number)
            return self._objects[number]
        if kind == _TUPLE:
            return tuple([self._value(each) for each in value[1:]])
        if kind == _NAMED_TUPLE:
            cls: Any = self._classes[value[1]].cls
            return tuple.__new__(cls, [self._value(each) for each in value[2:]])
        if kind == _FROZEN_SET:
            return frozenset([self._value(each) for each in value[1:]])
        if kind == _TEXT:
            return self._classes[value[1]].cls(value[2])
        if kind == _VIEW:
            return memoryview(value[1])
        if kind == _INTEGER:
            return int(value[1])
        if kind == _UNSET:
            return _Unset
        raise SnapshotError(f"has a value of an unknown kind: {kind!r}")


_EMPTY: dict[int, Any] = {number: kind for kind, number in _CONTAINERS.items()}


def _known_class(module: str, name: str, *names: str) -> _Class:
    """Give the class that a snapshot names, where it is one of ours and has just these fields."""
    root, _, rest = module.partition(".")
    if root != "kafkasniff" or rest.partition(".")[0] not in _PACKAGES:
        raise SnapshotError(f"has objects of {module}.{name}, which is no part of what is remembered")
    try:
        cls = getattr(importlib.import_module(module), name)
        found = _class_of(cls)
    except (ImportError, AttributeError, TypeError):
        raise SnapshotError(f"has objects of {module}.{name}, which this kafkasniff does not have") from None
    if found.names != names:
        raise SnapshotError(f"has a {name} with other fields than this kafkasniff's")
    return found


@contextmanager
def _without_collecting() -> Iterator[None]:
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
