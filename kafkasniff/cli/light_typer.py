"""Imports typer without the modules that a usual run has no use for.

`import typer` takes longer than Python itself takes to start, and longer than a small capture takes to be read. Half of
that goes to modules of the standard library that typer needs for little: `pathlib` and `uuid` to tell whether an option
is a path or a UUID, `subprocess` and `platform` to open a browser, `difflib` for what is misspelt, `gettext` for
messages in other languages.

While typer is imported, something stands in `sys.modules` for each of these that is not there yet: a module whose names
are stand-ins as well. Afterwards it is taken out, so that everybody else imports the real module. What typer holds
imports the real module when it is first used: when a name is called, or something of it is asked for. Whether an object
or a class is of a class's kind needs no import: where its module was never imported, nothing is.

Python's own `importlib.util.LazyLoader` imports a module when it is imported for the second time (3.11), or when a name
is taken from it, as typer does with most.
"""

import _thread
import sys
from importlib import import_module
from types import ModuleType, NoneType
from typing import Any

_LATER = (
    *("ast", "bz2", "datetime", "difflib", "gettext", "linecache", "lzma", "pathlib", "platform", "shutil"),
    *("subprocess", "textwrap", "threading", "tokenize", "traceback", "uuid"),
    *("typer._click.shell_completion", "typer._completion_classes", "typer._completion_shared"),
)
"""What is used by name only while typer is imported: `dis`, of which `inspect` makes tables, is not of them."""

_AT_HAND = {("threading", "local"): _thread._local}
"""What is used at once, and has its home elsewhere."""


_OF_EVERY_CLASS = {"__dict__", "__weakref__"}


class _Module(ModuleType):
    """Stands for a module."""

    def __getattr__(self, name: str) -> Any:
        """Give what the module has under a name; while typer is imported, what stands for it."""
        if sys.modules.get(self.__name__) is not self:
            return getattr(_real_module(self.__name__), name)
        if name.startswith("__"):
            raise AttributeError(name)
        return _AT_HAND.get((self.__name__, name)) or _Name(name, (), {"__module__": self.__name__})


class _Name(type):
    """Stands for a class or a function; is a class, as functions say `Path | None` of what they return.

    Also for a class that is derived from one, which is made when it is called.
    """

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        return cls._real()(*arguments, **named)

    def __getattr__(cls, name: str) -> Any:
        return getattr(cls._real(), name)

    def __instancecheck__(cls, instance: Any) -> bool:
        return _is_imported(cls.__module__) and isinstance(instance, cls._real())

    def __subclasscheck__(cls, other: type) -> bool:
        return _is_imported(cls.__module__) and issubclass(other, cls._real())

    def __eq__(cls, other: object) -> bool:
        return cls is other or (_is_imported(cls.__module__) and cls._real() is other)

    def __hash__(cls) -> int:
        return hash((cls.__module__, cls.__name__))

    def _real(cls) -> Any:
        bases = tuple(base._real() if isinstance(base, _Name) else base for base in cls.__bases__)
        if bases == (object,):
            return getattr(_real_module(cls.__module__), cls.__name__)
        return type(cls.__name__, bases, {name: cls.__dict__[name] for name in cls.__dict__.keys() - _OF_EVERY_CLASS})


def _is_imported(name: str) -> bool:
    return not isinstance(sys.modules.get(name), (_Module, NoneType))


def _real_module(name: str) -> ModuleType:
    if isinstance(sys.modules.get(name), _Module):
        del sys.modules[name]
    return import_module(name)


def import_typer() -> None:
    """Import typer."""
    stand_ins = {name: _Module(name) for name in _LATER if name not in sys.modules}
    sys.modules.update(stand_ins)
    try:
        import_module("typer")
    finally:
        for name, module in stand_ins.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
