"""Imports typer without the modules of the standard library that it needs for little.

`import typer` takes four times as long as Python takes to start. A third of that goes to modules for what a usual run
does not do: open a browser, suggest what was misspelt, take paths, dates and UUIDs as values.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

_LATER = (
    *("datetime", "difflib", "gettext", "linecache", "pathlib", "platform"),
    *("shutil", "subprocess", "tokenize", "traceback", "uuid"),
)


class _Later(ModuleType):
    """Stands for a module while typer is imported; what typer keeps of it gives what is in the real one."""

    def __getattr__(self, name: str) -> Any:
        """Give what the module has under a name; while typer is imported, a class that makes what that makes.

        A class, as typer says `Path | None` of what functions return. It is equal to no other: options of this command
        line are of no type that comes from these modules.
        """
        if sys.modules.get(self.__name__) is not self:
            return getattr(import_module(self.__name__), name)
        if name.startswith("__"):
            raise AttributeError(name)

        def make(_: type, *arguments: Any, **named: Any) -> Any:
            return getattr(import_module(self.__name__), name)(*arguments, **named)

        return type(name, (), {"__new__": make})


def import_typer() -> None:
    """Import typer."""
    stand_ins = {name: _Later(name) for name in _LATER if name not in sys.modules}
    sys.modules.update(stand_ins)
    try:
        import_module("typer")
    finally:
        for name in stand_ins:
            del sys.modules[name]
