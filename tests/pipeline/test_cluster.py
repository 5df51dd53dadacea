"""The commands on a Spark whose executors are processes of their own, and have no kafkasniff installed."""

import os
import signal
import subprocess
import sys

from tests.conftest import ROOT
from tests.pipeline.expected import expected_rows
from tests.pipeline.follow.batches import put
from tests.pipeline.runs import RING, all_rows, by_vantage, write

WITHOUT = """
import sys
from pathlib import Path

# What is run has to come from the driver: an installed package, or a checkout, is not looked at.
sys.path = [path for path in sys.path if path.endswith(".zip") or not Path(path, "kafkasniff").exists()]
"""

COMMANDS = """
import os, signal, sys
from pathlib import Path
from pyspark import cloudpickle
from pyspark.sql import SparkSession

from kafkasniff import compiled
from kafkasniff.cli.main import main
from kafkasniff.pipeline import session
from kafkasniff.pipeline.follow import following
from kafkasniff.pipeline.follow import micro_batch

cloudpickle.register_pickle_by_value(sys.modules["__main__"])
ring, tables, folder, followed, flag, without = sys.argv[1:]


class Killing:
    # Kills the executor that runs it, once, when all rows of a bucket are written.

    def __init__(self, task):
        self.task, self.flag = task, flag
        # As it is for the driver: what was compiled is sent.
        self.compiled = compiled.is_compiled()

    def __call__(self, batches):
        import kafkasniff

        from kafkasniff.compiled import is_compiled
        from pyspark import SparkFiles

        assert kafkasniff.__file__.startswith(os.path.realpath(SparkFiles.getRootDirectory())), kafkasniff.__file__
        assert is_compiled() == self.compiled
        results = list(self.task(batches))
        if not os.path.exists(self.flag):
            Path(self.flag).touch()
            daemon = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()
            os.kill(int(daemon[1]), signal.SIGKILL)
        yield from results


def command(*arguments):
    setting = f"spark.executorEnv.PYTHONPATH={without}"
    sys.argv = ["kafkasniff", "pipeline", *arguments, "--master", "local-cluster[1,1,1024]", "--conf", setting]
    try:
        main()
    except SystemExit as ended:
        assert not ended.code, ended.code


def run(*arguments, real=following.run_micro_batch):
    real(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)


micro_batch.FollowTask = lambda *arguments, real=micro_batch.FollowTask: Killing(real(*arguments))
# One Spark serves both commands.
SparkSession.stop = lambda session: None
opened = []


def open_session(*arguments, real=session.open_session, **options):
    opened[:] = opened or [real(*arguments, **options)]
    return opened[0]


session.open_session = open_session
command(ring, tables)
following.run_micro_batch = run
command("--follow", folder, followed, "--still", "60m")
"""


def test_an_executor_that_is_killed_and_a_follower_killed_behind_its_commit_cost_no_row(spark, tmp_path):
    without, folder, followed = tmp_path / "without", tmp_path / "in", tmp_path / "followed"
    without.mkdir()
    (without / "sitecustomize.py").write_text(WITHOUT)
    put(folder, range(4))
    arguments = [os.path.dirname(RING[0]), tmp_path / "tables", folder, followed, tmp_path / "flag", without]

    killed = subprocess.run(
        [sys.executable, "-c", COMMANDS, *map(str, arguments)], check=False, capture_output=True, timeout=400
    )

    assert killed.returncode == -signal.SIGKILL, killed.stderr[-2000:]
    assert (tmp_path / "flag").exists()
    ring = [os.path.abspath(path) for path in RING]
    assert by_vantage(tmp_path / "tables") == {os.path.dirname(ring[0]) + "/part": expected_rows(ring)}
    put(folder, range(4, 9))
    command = [sys.executable, "-m", "kafkasniff", "pipeline", "--follow", folder, followed, "--finish"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, timeout=400)
    assert done.returncode == 0, done.stderr[-2000:]
    write(spark, [folder], tmp_path / "once")
    assert all_rows(followed) == all_rows(tmp_path / "once")
