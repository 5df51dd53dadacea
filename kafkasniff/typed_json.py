"""Dataclasses, named tuples and classes with `TYPES` as JSON between processes, read back by these types alone.

What a process reads from another, or from a disk, must not choose what is run, as pickled objects do: here the reader
says which types it expects, and whatever is no value of these is refused.
"""

import json
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

_PLAIN = (NoneType, bool, int, float, str)
_SEQUENCES: dict[Any, type[Any]] = {list: list, set: set, frozenset: frozenset, Sequence: tuple}
_MAPPINGS: dict[Any, type[Any]] = {dict: dict, Mapping: dict, Counter: Counter}


def to_json(value: Any, kind: Any) -> bytes:
    """Give a value of the annotation `kind` as JSON: ASCII on one line. Raises TypeError where it is none."""
    # Not orjson, which refuses integers over 64 bits and names of files that are no Unicode.
    return json.dumps(_encode(value, kind), separators=(",", ":")).encode()


def from_json(data: bytes, kind: Any) -> Any:
    """Give what `to_json` took. Raises ValueError where `data` is no value of `kind`."""
    try:
        return _decode(json.loads(data), kind)
    except (TypeError, KeyError, RecursionError) as error:
        raise ValueError(f"expected {kind}, found something else: {error}") from None


@cache
def _members(kind: Any) -> dict[str, Any] | None:
    """Give the annotations of a dataclass or named tuple, or what a class says in `TYPES`, by name; None: none."""
    if is_dataclass(kind):
        names = [each.name for each in fields(kind)]
    elif isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        names = [*kind._fields]
    else:
        types: dict[str, Any] | None = getattr(kind, "TYPES", None)
        return types
    hints = get_type_hints(kind)
    return {name: hints[name] for name in names}


def _alternatives(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _encode(value: Any, kind: Any) -> Any:
    if kind is Any:
        return value
    kinds = _alternatives(kind)
    if type(value) in _PLAIN:
        return value
    if isinstance(value, bytes):
        return b64encode(value).decode()
    for each in kinds:
        members = _members(each)
        if members is not None and type(value) is each:
            return [each.__name__, *(_encode(getattr(value, name), hint) for name, hint in members.items())]
        origin, parts = get_origin(each), get_args(each)
        if origin in _MAPPINGS and isinstance(value, Mapping):
            of_value = parts[1] if len(parts) > 1 else int
            return [[_encode(key, parts[0]), _encode(item, of_value)] for key, item in value.items()]
        if origin is tuple and isinstance(value, tuple):
            return [_encode(item, hint) for item, hint in zip(value, _hints(parts, len(value)), strict=True)]
        if origin in _SEQUENCES and isinstance(value, (list, tuple, set, frozenset)):
            # The order of a set differs from process to process; what is written must not.
            items = sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value
            return [_encode(item, parts[0]) for item in items]
    raise TypeError(f"{type(value).__name__} is no {kind}")


def _decode(found: Any, kind: Any) -> Any:
    if kind is Any:
        return found
    for each in _alternatives(kind):
        origin, parts = get_origin(each), get_args(each)
        if origin is Literal:
            if found in parts:
                return found
        elif each is None or each in _PLAIN:
            if type(found) is (each or NoneType):
                return found
        elif each is bytes:
            if type(found) is str:
                return b64decode(found, validate=True)
        elif type(found) is list:
            members = _members(each)
            if members is None:
                return _decode_many(found, origin, parts)
            if found and found[0] == each.__name__:
                values = [_decode(item, hint) for item, hint in zip(found[1:], members.values(), strict=True)]
                return cast(Any, each)(*values)
    raise ValueError(f"expected {kind}, found {type(found).__name__}")


def _decode_many(found: list[Any], origin: Any, parts: tuple[Any, ...]) -> Any:
    if origin in _MAPPINGS:
        of_value = parts[1] if len(parts) > 1 else int
        return _MAPPINGS[origin]({_decode(key, parts[0]): _decode(item, of_value) for key, item in found})
    if origin is tuple:
        return tuple(_decode(item, hint) for item, hint in zip(found, _hints(parts, len(found)), strict=True))
    return _SEQUENCES[origin](_decode(item, parts[0]) for item in found)


def _hints(parts: tuple[Any, ...], length: int) -> Sequence[Any]:
    """Give the annotation of each item of a tuple."""
    return [parts[0]] * length if len(parts) == 2 and parts[1] is Ellipsis else parts
