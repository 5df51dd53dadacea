"""An archive of the classes that Spark's JVM loads: with it, the JVM starts in about half the time.

Java makes it when the first JVM ends (dynamic AppCDS, JEP 350), and checks itself whether one fits: its own build, and
names, sizes and times of all jars. One that does not fit, or was not written to its end, is not used.
"""

import os
from hashlib import sha256
from pathlib import Path

import pyspark

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.inputs.own_folders import check_own, new_file

CACHE_VARIABLE = "XDG_CACHE_HOME"
_FOLDER = "kafkasniff"
_LIBRARY = "lib/server/libjvm.so"
_SPECIAL = frozenset("\"'\\ \t\n$`")
"""Characters that mean something where Spark splits options."""


def archive_options(java: str) -> list[str]:
    """Give options that let the Java in the folder `java` use its archive, or make it; none where it cannot be kept.

    Classes come from it, so it must be in a folder that nobody else may enter or replace. It is made once: JVMs start
    more slowly while they note what they load, and where a folder of settings is among the classes none can be made.
    """
    folder = Path(os.environ.get(CACHE_VARIABLE) or Path.home() / ".cache", _FOLDER)
    try:
        of = [os.stat(path) for path in (os.path.join(java, _LIBRARY), pyspark.__file__)]
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        check_own(str(folder))
    except (OSError, PipelineError):
        return []
    if _SPECIAL.intersection(str(folder)):
        return []
    spark = os.environ.get("SPARK_HOME", pyspark.__file__)
    told = (pyspark.__version__, spark, os.path.realpath(java), [(each.st_size, each.st_mtime_ns) for each in of])
    name = f"spark-{sha256(repr(told).encode()).hexdigest()[:16]}"
    archive, begun = folder / f"{name}.jsa", folder / f"{name}.begun"
    try:
        new_file(str(begun)).close()
    except OSError:
        return [f"-XX:SharedArchiveFile={archive}"] if archive.exists() else []
    for other in folder.glob("spark-*"):
        if other != begun:
            other.unlink(missing_ok=True)
    # What it cannot take, it would tell class by class.
    return [f"-XX:ArchiveClassesAtExit={archive}", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"]
