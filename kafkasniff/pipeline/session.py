"""The Spark session: made so that it says nothing, or the one that `spark-submit` made."""

import atexit
import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

import kafkasniff
from kafkasniff.pipeline import daemon
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.indexes.index import reason_of
from kafkasniff.pipeline.java import class_path, find_java
from kafkasniff.protocol import DEFINITIONS_VARIABLE

_LOCAL = re.compile(r"local(\[(\d+|\*)(, *\d+)?\])?")
ATTEMPTS = 3
"""How often a task is tried in local mode; `local[N]` alone gives up at the first failure."""
_NEEDED = ("pandas", "pyarrow", "numpy", "msgpack", "orjson")
"""Modules that tasks import, or Spark for them."""
_LOOK_FOR = """
import sys
from importlib.util import find_spec

def lacks(name):
    try:
        return find_spec(name) is None
    except ImportError:
        return True

print("{}.{}".format(*sys.version_info), *filter(lacks, sys.argv[1:]), end="")
"""
"""Prints version and missing modules: to import them takes seconds."""
_CANNOT_RUN = "%s: the workers cannot run this Python: let PYSPARK_PYTHON name one that is on each of them"
_LACKS = "the workers' Python (%s) lacks %s: install there what kafkasniff[spark] needs"
_OF_ANOTHER_VERSION = "the workers' Python (%s) is of another version than the driver's: %s"
_JAVA_OPTIONS = (
    "-XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions"
    " -XX:TieredStopAtLevel=1 -XX:MetaspaceSize=256m -XX:-BytecodeVerificationRemote"
)
"""The work is done in Python: a JVM that compiles less starts seconds earlier. Half of its start is loading classes.

They need room, and those of Spark's own jars no verification.
"""
_DRIVER_OPTIONS = "SPARK_SUBMIT_OPTS"
"""From it Spark's launcher takes options of Java for the driver, beside those in the settings."""
_NOT_RUN = re.compile(r"Cannot run program|Subprocess exited with status")

_LOCAL_SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC",
    "spark.ui.enabled": "false",
    # Of what was done Spark remembers 1,000 of each otherwise, for its web pages.
    "spark.ui.retainedJobs": "100",
    "spark.ui.retainedStages": "100",
    "spark.sql.ui.retainedExecutions": "10",
}
_SETTINGS = {
    "spark.app.name": "kafkasniff pipeline",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.showConsoleProgress": "false",
    # Arrow's own allocator would keep what is freed; of the C library's, workers give it back.
    "spark.executorEnv.ARROW_DEFAULT_MEMORY_POOL": "system",
    # Java adds it to the options that the cluster's own settings give.
    "spark.executorEnv.JDK_JAVA_OPTIONS": _JAVA_OPTIONS,
}
_SQL_SETTINGS = {
    # Rows are few, and large: to compile code for them takes longer than to do without.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # A row holds up to a chunk of a file.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1024",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(8 << 20),
}


def open_session(
    master: str | None = None, settings: Mapping[str, str] | None = None, quiet: bool = True
) -> SparkSession:
    """Give a session on `master` (None: all processors of this machine, or what `spark-submit` was told).

    With `quiet`, what Spark writes goes to a file that nobody reads. Raises PipelineError where Spark does not start,
    or where workers lack what tasks need.
    """
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    conf = SparkConf()
    if not submitted:
        master = local_master(master or conf.get("spark.master") or "local[*]")
        conf.setMaster(master)
    local = (master or "").startswith("local")
    if local and (jars := class_path()):
        conf.set("spark.driver.extraClassPath", jars)
        conf.set("spark.executor.extraClassPath", jars)
        if _LOCAL.fullmatch(master or ""):
            conf.set("spark.python.daemon.module", daemon.__name__)
    if definitions := os.environ.get(DEFINITIONS_VARIABLE):
        conf.set(f"spark.executorEnv.{DEFINITIONS_VARIABLE}", definitions)
    if not submitted and _LOCAL.fullmatch(master or ""):
        # Workers import this kafkasniff, not a folder of that name in the one that they start in.
        conf.set("spark.executorEnv.PYTHONSAFEPATH", "1")
        conf.set("spark.executorEnv.PYTHONPATH", str(Path(kafkasniff.__path__[0]).parent))
    for name, value in {**_SETTINGS, **(_LOCAL_SETTINGS if local else {}), **(settings or {})}.items():
        conf.set(name, value)
    if local:
        if lacking := next((name for name in _NEEDED if find_spec(name) is None), None):
            raise PipelineError(f"pipeline needs {lacking}: pip install 'kafkasniff[spark]'")
        os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
        # Executors that are processes of their own may have another.
        if _LOCAL.fullmatch(master or "") or "PYSPARK_PYTHON" not in os.environ:
            os.environ["PYSPARK_PYTHON"] = sys.executable
        else:
            _check_python(os.environ["PYSPARK_PYTHON"], settings or {})
    java = None if submitted else find_java()
    if java is not None:
        os.environ["JAVA_HOME"] = java
    try:
        context = _start(conf, quiet and not submitted)
    except (PySparkException, OSError) as error:
        raise PipelineError(f"Spark does not start (-v shows what it says): {error}") from None
    if _LOCAL.fullmatch(context.master) is None:
        # A session takes longer to make than a context.
        _check_workers(context)
        # Unpacked where workers look for modules first: Python imports no library from a zip.
        context.addArchive(f"{_package()}#kafkasniff")
    session = SparkSession.builder.config(conf=conf).getOrCreate()
    for name, value in _SQL_SETTINGS.items():
        if name not in (settings or {}):
            session.conf.set(name, value)
    return session


def _check_python(python: str, settings: Mapping[str, str]) -> None:
    """Look for what tasks need in the Python of workers on this machine, before Spark starts, which takes long.

    Raises PipelineError.
    """
    prefix = "spark.executorEnv."
    given = {name.removeprefix(prefix): value for name, value in settings.items() if name.startswith(prefix)}
    asked = [python, "-c", _LOOK_FOR, *_NEEDED]
    try:
        done = subprocess.run(asked, env=os.environ | given, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError:
        raise PipelineError(_CANNOT_RUN % python) from None
    if done.returncode:
        raise PipelineError(_CANNOT_RUN % python)
    _refuse_unfit(python, done.stdout.decode("utf-8", "replace"))


def _refuse_unfit(python: str, found: str) -> None:
    """Raise PipelineError where a Python that looked for what tasks need found that it is unfit for them."""
    said, _, lacking = found.partition(" ")
    version = "{}.{}".format(*sys.version_info)
    if lacking:
        raise PipelineError(_LACKS % (python, lacking))
    if said != version:
        raise PipelineError(_OF_ANOTHER_VERSION % (python, f"{said}, that of the driver is {version}"))


def _check_workers(context: SparkContext) -> None:
    """Look for what tasks need in the Python of workers, by a task that needs nothing of it.

    Raises PipelineError where something lacks. To start Spark's own worker in that Python would take longer.
    """
    gateway = context._gateway
    assert gateway is not None
    command = gateway.jvm.java.util.ArrayList()
    for each in (context.pythonExec, "-c", _LOOK_FOR, *_NEEDED):
        command.add(each)
    environment = gateway.jvm.java.util.HashMap()
    environment.put("PYTHONUNBUFFERED", "YES")  # as Spark starts its workers
    # It is given nothing to read, and ends without having read.
    one_task = context._jsc.parallelize(gateway.jvm.java.util.ArrayList(), 1)
    try:
        found = "".join(one_task.pipe(command, environment).collect())
    except (PySparkException, Py4JError) as error:
        raise PipelineError(_what_workers_lack(str(error), context.pythonExec)) from None
    _refuse_unfit(context.pythonExec, found)


def _what_workers_lack(trace: str, python: str) -> str:
    """Say what Spark's trace says of the workers' Python."""
    if _NOT_RUN.search(trace):
        return _CANNOT_RUN % python
    return reason_of(trace)


def is_remote(master: str | None) -> bool:
    """Tell whether tasks run in other places than this process's folder, where a relative path means another file."""
    return "PYSPARK_GATEWAY_PORT" in os.environ or (master is not None and _LOCAL.fullmatch(master) is None)


def local_master(master: str) -> str:
    """Give `local…` with a number of processors and of attempts; any other master as it is."""
    match = _LOCAL.fullmatch(master)
    if match is None:
        return master
    threads = match[2] or "1"
    if threads == "*":
        threads = str(len(os.sched_getaffinity(0)))
    return f"local[{threads}{match[3] or f',{ATTEMPTS}'}]"


def tasks_at_once(master: str | None) -> int | None:
    """Give how many tasks run at once on a local master, before Spark starts; None where a cluster decides that."""
    match = _LOCAL.fullmatch(local_master(master or SparkConf().get("spark.master") or "local[*]"))
    return int(match[2]) if match is not None else None


def _start(conf: SparkConf, quiet: bool) -> SparkContext:
    with _options_of_java():
        if quiet and SparkContext._active_spark_context is None:
            # The launcher and the JVM write to the streams that they are started with, before any log level is set.
            with tempfile.TemporaryFile() as log:
                # On Ctrl-C while Spark starts, py4j logs a traceback, which a root logger without handlers prints.
                logging.getLogger().addHandler(logging.NullHandler())
                _launch(conf, log)
        return SparkContext.getOrCreate(conf)


@contextmanager
def _options_of_java() -> Iterator[None]:
    """Let the JVM that is started have its options, before those that it is given."""
    before = os.environ.get(_DRIVER_OPTIONS)
    os.environ[_DRIVER_OPTIONS] = " ".join(filter(None, (_JAVA_OPTIONS, before)))
    try:
        yield
    finally:
        del os.environ[_DRIVER_OPTIONS]
        if before is not None:
            os.environ[_DRIVER_OPTIONS] = before


def _launch(conf: SparkConf, log: IO[bytes]) -> None:
    gateway = launch_gateway(conf, {"stdout": log, "stderr": log})
    SparkContext._ensure_initialized(gateway=gateway)


def _package() -> str:
    """Give a zip file of what this package holds; Pythons for which its libraries were not made ignore them."""
    root = Path(kafkasniff.__file__).parent
    folder = tempfile.mkdtemp(prefix="kafkasniff-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder, "kafkasniff.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(file for kind in ("*.py", "*.so") for file in root.rglob(kind)):
            archive.write(file, file.relative_to(root))
    return str(path)
