"""The names of `cython` that the engine's modules use, for where they run as plain Python and Cython is not there.

Types only note what compiled code would use; decorators give back what they decorate. See docs/development.md.
"""

from collections.abc import Callable
from typing import Any, TypeVar

compiled = False


class _Type:
    def __getitem__(self, _: object) -> "_Type":
        return self


bint = char = double = int = long = longlong = p_char = Py_ssize_t = short = size_t = _Type()
uchar = uint = ulong = ulonglong = ushort = void = _Type()


_Thing = TypeVar("_Thing")


def cclass(thing: _Thing) -> _Thing:
    """Mark a class or a function as one of C; it stays as it is."""
    return thing


final = cfunc = ccall = inline = no_gc = nogil = cclass


def exceptval(*_: object, **__: object) -> Callable[[_Thing], _Thing]:
    """Say which value of a C function stands for an exception."""
    return cclass


def locals(**_: object) -> Callable[[_Thing], _Thing]:
    """Say which types local variables have."""
    return cclass


freelist = boundscheck = wraparound = cdivision = exceptval


def declare(_: object, value: Any = None, **__: object) -> Any:
    """Give a variable its value."""
    return value


def cast(_: object, value: Any, **__: object) -> Any:
    """Give a value as it is."""
    return value
