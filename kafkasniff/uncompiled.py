"""The names of `cython` that the engine's modules use, for where they run as plain Python and Cython is not there.

Types only note what compiled code would use; decorators give back what they decorate. See docs/development.md.
"""

from collections.abc import Callable
from typing import Any, TypeVar

compiled = False


class _Type:
    def __getitem__(self, _: object) -> "_Type":
        return self


bint = int = longlong = p_char = Py_ssize_t = uint = ulonglong = _Type()


_Thing = TypeVar("_Thing")


def cclass(thing: _Thing) -> _Thing:
    """Mark a class or a function as one of C; it stays as it is."""
    return thing


final = no_gc = cclass


def freelist(_: object) -> Callable[[_Thing], _Thing]:
    """Say how many objects of a class are kept to be used again."""
    return cclass


def locals(**_: object) -> Callable[[_Thing], _Thing]:
    """Say which types local variables have."""
    return cclass


def declare(_: object, value: Any = None, **__: object) -> Any:
    """Give a variable its value."""
    return value


def cast(_: object, value: Any, **__: object) -> Any:
    """Give a value as it is."""
    return value
