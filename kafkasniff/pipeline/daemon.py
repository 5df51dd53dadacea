"""What Spark starts on this machine, and forks workers from: its own daemon, with the pyspark that is installed.

Spark names a zip of pyspark first, which Python compiles anew in each process, and whose directory it reads again
before each task.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

_ZIPPED = ("pyspark", "py4j")
"""Packages that are in zips of Spark, whose names begin so."""


def without_zips(path: Sequence[str]) -> list[str]:
    """Give where Python looks for modules, without Spark's zips."""
    return [each for each in path if not (each.endswith(".zip") and Path(each).name.startswith(_ZIPPED))]


class WithoutPandas:
    """Finds no pandas: pyarrow imports it with the first array, for half a second of each worker. No task uses it."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> None:
        """Find nothing. Raises ModuleNotFoundError where it is looked for."""
        if name == "pandas":
            raise ModuleNotFoundError(name)


if __name__ == "__main__":
    sys.path[:] = without_zips(sys.path)
    sys.meta_path.insert(0, WithoutPandas())
    # No thread may be there when workers are forked, so nothing else is imported.
    from pyspark.daemon import manager

    manager()
