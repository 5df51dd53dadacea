# cython: language_level=3, annotation_typing=False, boundscheck=True, nonecheck=True
"""How objects of a class are written: by which fields, and where they stand."""

import importlib
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Generic

_PACKAGES = ("capture", "tcp", "protocol", "calls", "diagnose", "pipeline")
"""Of kafkasniff: whose classes a snapshot may hold."""


class SnapshotError(Exception):
    """This is no snapshot, or one that this version of kafkasniff cannot read; the message says which."""


class ClassFields:
    """The fields of a class."""

    __slots__ = ("cls", "compiled", "frozen", "holds_items", "names", "new", "places", "rebuilds", "rebuilt")

    def __init__(self, cls: type, names: tuple[str, ...], compiled: tuple[str, ...]) -> None:
        """Take the names of all fields, and of those that are attributes of C."""
        rebuilt: tuple[str, ...] = getattr(cls, "REBUILT", ())
        self.cls: Any = cls
        self.names = tuple(name for name in names if name not in rebuilt)
        """Of the fields that are written."""
        self.compiled = tuple(sorted(compiled))
        """Names of C attributes, in the order in which Cython gives and takes them; empty where there are none."""
        self.rebuilt = tuple(name for name in rebuilt if name not in compiled)
        """Names of others that are left out, but for those of C."""
        self.frozen = is_dataclass(cls) and cls.__hash__ is not None and cls.__hash__ is not object.__hash__
        """Whether it may be a key, so that it must be whole before others are."""
        self.places = tuple(self.compiled.index(name) if name in compiled else -1 for name in self.names)
        """Where each of the fields that are written stands among the C attributes; -1 for those that are none."""
        self.holds_items = issubclass(cls, dict)
        self.rebuilds = hasattr(cls, "rebuild")
        make: Any = cls.__new__
        self.new: list[Any] = [*state_of(make(cls))] if compiled else []
        """The C attributes of a new object."""


@cache
def fields_of(cls: type) -> ClassFields:
    """Tell how objects of a class are written. Raises TypeError where it does not declare its fields."""
    if is_dataclass(cls):
        return ClassFields(cls, tuple(each.name for each in fields(cls)), ())
    if issubclass(cls, tuple):
        return ClassFields(cls, tuple(cls._fields), ())  # type: ignore[attr-defined]
    names: list[str] = []
    compiled: list[str] = []
    for each in reversed(cls.__mro__[:-1]):
        if each in (dict, str, Generic):
            continue
        if "__slots__" not in vars(each):
            raise TypeError(f"{each.__module__}.{each.__qualname__} does not declare its fields in __slots__")
        own = [vars(each)["__slots__"]] if isinstance(vars(each)["__slots__"], str) else vars(each)["__slots__"]
        names += own
        compiled += own if "__reduce_cython__" in vars(each) else ()
    return ClassFields(cls, tuple(names), tuple(compiled))


def known_class(module: str, name: str, names: tuple[str, ...]) -> ClassFields:
    """Give the class that a snapshot names, where it is one of ours and has just these fields."""
    root, _, rest = module.partition(".")
    if root != "kafkasniff" or rest.partition(".")[0] not in _PACKAGES:
        raise SnapshotError(f"has objects of {module}.{name}, which is no part of what is remembered")
    try:
        cls = getattr(importlib.import_module(module), name)
        found = fields_of(cls)
    except (ImportError, AttributeError, TypeError):
        raise SnapshotError(f"has objects of {module}.{name}, which this kafkasniff does not have") from None
    if found.names != names:
        raise SnapshotError(f"has a {name} with other fields than this kafkasniff's")
    return found


def state_of(each: Any) -> tuple[Any, ...]:
    """Give the C attributes of an object, by name: as Cython gives them to whoever copies it."""
    made = each.__reduce_cython__()
    state: tuple[Any, ...] = made[2] if len(made) > 2 else made[1][2]
    return state
