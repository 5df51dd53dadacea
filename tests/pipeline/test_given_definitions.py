"""What a user defined is known to Spark's workers too, which begin as new processes."""

import os
import subprocess
import sys
from pathlib import Path

from tests.protocol.definitions.vendor import KEY, write_folder

WORKER = """
import kafkasniff.pipeline
from kafkasniff.cli.commands.files.pipeline import id_texts
from kafkasniff.protocol.api_table import APIS
print(APIS.get(%d), *id_texts(None, False))
"""


def worker(**variables: str) -> str:
    environment = {**os.environ, **variables}
    done = subprocess.run([sys.executable, "-c", WORKER % KEY], capture_output=True, text=True, env=environment)
    assert done.stderr == ""
    return done.stdout


def test_workers_know_what_is_given(tmp_path: Path) -> None:
    folder = str(write_folder(tmp_path / "message"))
    known = worker(KAFKASNIFF_DEFINITIONS=folder)
    assert "name='ACME_CLUSTER'" in known
    # What comes out is another: so is the run.
    assert known.split()[-1] == folder
    assert worker().split()[0] == "None"
