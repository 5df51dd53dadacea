"""What workers lack is said in a sentence."""

import os
import re
import subprocess
import sys
import time

import pytest

WITHOUT_PYARROW = """
import sys


class Without:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "pyarrow":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Without)
"""


@pytest.mark.parametrize("lacks", ["python", "pyarrow"])
def test_what_workers_lack_is_said_in_a_sentence(tmp_path, lacks):
    environment = os.environ | {"PYSPARK_DRIVER_PYTHON": sys.executable}
    settings = ["--conf", "spark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1"]
    if lacks == "python":
        environment["PYSPARK_PYTHON"] = "/nowhere/python"
        said = r"kafkasniff: /nowhere/python: the workers cannot run this Python: let PYSPARK_PYTHON name one .*\n"
    else:
        (tmp_path / "sitecustomize.py").write_text(WITHOUT_PYARROW)
        environment["PYSPARK_PYTHON"] = sys.executable
        settings += ["--conf", f"spark.executorEnv.PYTHONPATH={tmp_path}"]
        said = r"kafkasniff: the workers' Python \(.*\) lacks pyarrow: install there what kafkasniff\[spark\] needs\n"
    command = [
        "pipeline",
        "captures/rotate-size",
        str(tmp_path / "tables"),
        "--master",
        "local-cluster[1,1,1024]",
        *settings,
    ]

    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "kafkasniff", *command], env=environment, check=False, capture_output=True, text=True
    )

    print(f"{lacks}: {time.monotonic() - begun:.1f} s with the start of Spark")
    assert done.returncode == 1
    assert re.fullmatch(said, done.stderr), done.stderr
