"""Tells whether the engine runs compiled, and whether its libraries are as new as their sources."""

import os
import sys
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from importlib.util import find_spec

_PACKAGE = os.path.dirname(__file__)
_RECORD = os.path.join(_PACKAGE, "compiled.json")
_ENGINE = "kafkasniff.octets"
"""One of the modules that are compiled, found without importing a package; all are, or none is."""


def is_compiled() -> bool:
    """Tell whether the engine is compiled."""
    try:
        found = find_spec(_ENGINE)
    except ModuleNotFoundError:
        return False
    return found is not None and not str(found.origin).endswith(".py")


def stale_modules() -> list[str]:
    """Give the modules of a work tree that were changed since they were compiled; empty for an installed wheel."""
    if not os.path.exists(_RECORD) or not is_compiled():
        return []
    import hashlib  # no installation needs these
    import json
    from pathlib import Path

    stale = []
    for module, (made_from, *files) in json.loads(Path(_RECORD).read_text()).items():
        sources = [Path(_PACKAGE).parent / each for each in files]
        now = b"".join(source.read_bytes() for source in sources if source.exists())
        if hashlib.sha256(now).hexdigest() != made_from:
            stale.append(module)
    return stale


class _SourceFinder:
    """Finds kafkasniff's modules as sources, where libraries lie beside them."""

    @staticmethod
    def find_spec(name: str, path: list[str] | None = None, target: object = None) -> ModuleSpec | None:
        """Find a module of kafkasniff; none of others."""
        for folder in path or () if name.startswith("kafkasniff.") else ():
            found = FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES)).find_spec(name)
            if found is not None:
                return found
        return None


def prefer_sources() -> None:
    """Import kafkasniff's modules from their sources from now on: `KAFKASNIFF_PURE=1` asks for it."""
    if os.environ.get("KAFKASNIFF_PURE") == "1":
        sys.meta_path.insert(0, _SourceFinder)  # type: ignore[arg-type]
