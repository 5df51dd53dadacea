"""What a hostile case is, and how its files are made."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

WORD = "Zq7!"
MARKER = WORD * 10
"""Stands wherever a secret is planted. However a hex dump breaks it, a whole word stays together."""


class Given(NamedTuple):
    """What a case gives to the commands."""

    files: list[str]
    """Captures, by their names in the folder of the case, which is the commands' working folder."""
    options: tuple[str, ...] = ()
    """Of every command."""
    timeline: str = "client=c"
    """What `diagnose --timeline` is asked for."""
    refused: bool = False
    """Whether commands may refuse what is given."""


Build = Callable[[Path, float], Given]
"""Makes the files of a case in a folder, larger or smaller by a factor."""


class Case(NamedTuple):
    """A hostile case."""

    name: str
    build: Build
    what: str
    """What it is, in words."""


def case(build: Build) -> Case:
    """Make a case of a function: its name and its docstring say what it is."""
    return Case(build.__name__.replace("_", "-"), build, (build.__doc__ or "").strip().rstrip("."))
