"""What workers lack is said in a sentence, before Spark starts where this machine can tell."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import CAPTURES

WITHOUT = """
import os
import sys


class Without:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "{module}" and {where}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)


sys.meta_path.insert(0, Without)
"""
IN_WORKERS = 'os.environ.get("PYTHONUNBUFFERED") == "YES"'
"""As Spark sets it for these alone (PythonWorkerFactory)."""
CANNOT_RUN = r"kafkasniff: {}: the workers cannot run this Python: let PYSPARK_PYTHON name one .*\n"
LACKS = r"kafkasniff: the workers' Python \(.*\) lacks {}: install there what kafkasniff\[spark\] needs\n"


def run(folder, python, module=None, where="True", **variables):
    """Run the pipeline with workers in processes of their own, and give what it says."""
    environment = os.environ | {"PYSPARK_DRIVER_PYTHON": sys.executable, "PYSPARK_PYTHON": python} | variables
    settings = []
    if module is not None:
        (folder / "sitecustomize.py").write_text(WITHOUT.format(module=module, where=where))
        settings += ["--conf", f"spark.executorEnv.PYTHONPATH={folder}"]
    command = ["pipeline", "captures/rotate-size", str(folder / "tables"), "--master", "local-cluster[1,1,1024]"]
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "kafkasniff", *command, *settings],
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    print(f"{time.monotonic() - begun:.1f} s")
    assert done.returncode == 1
    return done.stderr


@pytest.mark.parametrize(
    ("python", "module", "said"),
    [
        ("/nowhere/python", None, CANNOT_RUN.format("/nowhere/python")),
        ("/bin/false", None, CANNOT_RUN.format("/bin/false")),
        (sys.executable, "pandas", LACKS.format("pandas")),
        (sys.executable, "pyarrow", LACKS.format("pyarrow")),
    ],
    ids=["no python", "no python that runs", "no pandas", "no pyarrow"],
)
def test_what_this_machine_can_tell_is_said_before_spark_starts(tmp_path, python, module, said):
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\nexit 1\n")
    java.chmod(0o755)
    (tmp_path / "java" / "release").write_text('JAVA_VERSION="21.0.1"\n')

    text = run(tmp_path, python, module, JAVA_HOME=str(tmp_path / "java"))

    assert re.fullmatch(said, text), text
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("lacks", ["python", "pyarrow"])
def test_what_workers_alone_can_tell_is_said_with_their_first_task(tmp_path, lacks):
    if lacks == "python":
        # Executors run in folders of their own.
        python = os.path.relpath(sys.executable)
        said, text = CANNOT_RUN.format(re.escape(python)), run(tmp_path, python)
    else:
        said, text = LACKS.format("pyarrow"), run(tmp_path, sys.executable, "pyarrow", IN_WORKERS)
    assert re.fullmatch(said, text), text


def test_workers_import_the_kafkasniff_of_the_command(tmp_path):
    (tmp_path / "kafkasniff").mkdir()
    (tmp_path / "kafkasniff" / "__init__.py").write_text("raise RuntimeError('not this one')")
    command = [str(Path(sys.executable).with_name("kafkasniff")), "pipeline", str(CAPTURES / "vlan.pcap"), "tables"]
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tables" / "calls").is_dir()


def children(process):
    """Give the names of the processes that a process has started."""
    pids = [pid for path in Path(f"/proc/{process}/task").glob("*/children") for pid in path.read_text().split()]
    return [Path(f"/proc/{pid}/comm").read_text().strip() for pid in pids if Path(f"/proc/{pid}/comm").exists()]


@pytest.mark.parametrize("wait", [2, 3, 4])
def test_control_c_while_spark_starts_is_no_fault(tmp_path, wait):
    command = [sys.executable, "-m", "kafkasniff", "pipeline", "captures/rotate-size", str(tmp_path / "tables")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while "java" not in children(process.pid):
            assert process.poll() is None
            time.sleep(0.05)
        # At some of these moments the command waits for what Java answers.
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert (process.returncode, said) == (130, "")
