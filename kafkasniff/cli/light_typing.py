"""Imports a module without Python's `typing`, of which a usual run has no use.

To import that, with `re` and `enum`, takes 43 of 210 million instructions of a start. Modules take names from it for
annotations, which nobody reads in a run that lists calls. While such a module is imported, something stands in
`sys.modules` that gives these names; afterwards it is taken out, so that everybody else imports the real module.
"""

import sys
from importlib import import_module
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Name(type):
    """Stands for what annotations are made of: is a class, as they say `Any | None`."""

    def __getitem__(cls, item: object) -> type:
        return cls


class _Typing(ModuleType):
    """Stands for `typing`."""

    TYPE_CHECKING = False

    def __init__(self) -> None:
        """Have what our modules take from it."""
        super().__init__("typing")
        for name in ("Any", "BinaryIO", "Final", "Literal", "NoReturn", "Protocol", "Self", "TextIO"):
            setattr(self, name, _Name(name, (), {}))

    @staticmethod
    def cast(_: object, value: "Any") -> "Any":
        """Give `value`."""
        return value

    def __getattr__(self, name: str) -> "Any":
        """Give any other name from the real module, as Cython's stand-in for compiled modules needs."""
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get("typing") is self:
            del sys.modules["typing"]
        return getattr(import_module("typing"), name)


def import_lightly(name: str) -> ModuleType:
    """Import a module."""
    if "typing" in sys.modules:
        return import_module(name)
    stand_in = sys.modules["typing"] = _Typing()
    try:
        return import_module(name)
    finally:
        if sys.modules.get("typing") is stand_in:
            del sys.modules["typing"]
