"""Files that change under the pipeline, processes that are killed, and disks that are full, with a real Spark."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark import cloudpickle

from kafkasniff.pipeline import tasks
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.follow import micro_batch, rules_of_run
from kafkasniff.pipeline.follow.ledger import Ledger, run_id, tables_of
from kafkasniff.pipeline.indexes import index
from kafkasniff.pipeline.inputs.files import find_inputs
from kafkasniff.pipeline.loading import load
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.rows import output
from kafkasniff.pipeline.run_record import Observer
from tests.pipeline.expected import expected_rows
from tests.pipeline.runs import CAPTURES, RING, by_vantage, rows, write

WHOLE = CAPTURES / "librdkafka.pcap"

# Workers cannot import the tests.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


class Around:
    """A task with something of the tests' around it."""

    def __init__(self, task, *, before=None, after=None):
        self.task, self.before, self.after = task, before, after

    def __call__(self, batches):
        if self.before is not None:
            self.before()
        results = list(self.task(batches))
        if self.after is not None:
            self.after()
        yield from results


def around(monkeypatch, name, **extra):
    module = micro_batch if hasattr(micro_batch, name) else rules_of_run
    real = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *arguments: Around(real(*arguments), **extra))


def once(flag, act):
    """Act in the first process that comes here."""

    def act_once():
        try:
            os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        act()

    return act_once


@pytest.fixture
def captures(tmp_path):
    folder = tmp_path / "captures"
    folder.mkdir()
    shutil.copy(WHOLE, folder / "whole.pcap")
    shutil.copy(CAPTURES / "java-4.3.1-basic.pcap", folder / "other.pcap")
    return folder


def overwrite(path):
    content = Path(path).read_bytes()
    # As tcpdump -W does when it begins the ring anew.
    Path(path).write_bytes(content[:24] + RING_BYTES)


RING_BYTES = Path(RING[-1]).read_bytes()[24:]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (os.unlink, "No such file"),
        (lambda path: os.truncate(path, os.path.getsize(path) // 2), "changed while it was read"),
        (overwrite, "changed while it was read"),
    ],
    ids=["vanished", "truncated", "overwritten"],
)
def test_a_file_that_changes_between_indexing_and_reading_is_left_out(
    spark, tmp_path, monkeypatch, captures, change, reason
):
    path = str(captures / "other.pcap")
    around(monkeypatch, "FollowTask", before=once(str(tmp_path / "flag"), lambda: change(path)))

    outcome = write(spark, [captures], tmp_path / "tables", Options(buckets=2))

    found = {Path(row["file"]).name: row for row in rows(tmp_path / "tables", "files")}
    assert {name: (row["state"], row["packets"] > 0) for name, row in found.items()} == {
        "whole.pcap": ("read", True),
        "other.pcap": ("not read", False),
    }
    assert reason in found["other.pcap"]["reason"]
    assert any(reason in text for text in outcome.state.reasons())
    assert by_vantage(tmp_path / "tables") == {str(captures / "whole"): expected_rows([str(captures / "whole.pcap")])}


def test_files_that_are_gone_or_truncated_when_their_turn_comes_stand_in_files(spark, tmp_path, captures):
    shutil.copy(WHOLE, captures / "gone.pcap")
    inputs = find_inputs([str(captures)])
    (captures / "gone.pcap").unlink()
    os.truncate(captures / "other.pcap", (captures / "other.pcap").stat().st_size // 2)

    ledger = Ledger(str(tmp_path / "tables"), run_id([], []), tables_of(records=False))
    load(spark, ledger, ledger.open(), inputs, Options(), Observer())
    ledger.close()

    found = {Path(row["file"]).name: row["state"] for row in rows(tmp_path / "tables", "files")}
    assert found == {"whole.pcap": "read", "other.pcap": "damaged", "gone.pcap": "not read"}
    assert by_vantage(tmp_path / "tables")[str(captures / "other")] == expected_rows([str(captures / "other.pcap")])


STAGES = ("index", "FollowTask", "NameTask", "ReadEventsTask", "FindTask")


@pytest.mark.parametrize("place", ["before", "after"])
def test_workers_that_are_killed_cost_no_row_and_double_none(spark, tmp_path, monkeypatch, place):
    """In one run a worker of each stage is killed, before it has done anything or when all but the answer is done."""
    for stage in STAGES:
        kill = {place: once(str(tmp_path / stage), lambda: os.kill(os.getpid(), signal.SIGKILL))}
        if stage == "index":
            monkeypatch.setattr(index.tasks, stage, Around(tasks.index, **kill))
        else:
            around(monkeypatch, stage, **kill)
    # Its clients tell topics by their ids, whose names must be learnt.
    naming = str(CAPTURES / "java-4.3.1-basic.pcap")

    write(spark, [*RING, naming], tmp_path / "tables", Options(buckets=2))

    assert [stage for stage in STAGES if not (tmp_path / stage).exists()] == []
    assert by_vantage(tmp_path / "tables") == {
        "captures/rotate-size/part": expected_rows(RING),
        "captures/java-4.3.1-basic": expected_rows([naming]),
    }


DRIVER = """
import os, signal, sys
real, moved = os.replace, []
def replace(source, target):
    real(source, target)
    moved.append(target)
    if sum(each.endswith(".parquet") for each in moved) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
os.replace = replace
from kafkasniff.cli.main import main
sys.argv = ["kafkasniff", "pipeline", *sys.argv[1:]]
main()
"""


def test_a_driver_that_is_killed_in_mid_commit_leaves_all_rows_to_the_next(tmp_path):
    tables = tmp_path / "tables"
    command = [*RING, str(tables), "--master", "local[1]"]

    killed = subprocess.run([sys.executable, "-c", DRIVER, *command], check=False, capture_output=True, timeout=300)

    assert killed.returncode == -signal.SIGKILL, killed.stderr[-2000:]
    assert len(list(tables.glob("*/run_id=*"))) == 2
    done = subprocess.run(
        [sys.executable, "-m", "kafkasniff", "pipeline", *command],
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "; nothing is new\n" in done.stdout
    assert by_vantage(tables) == {"captures/rotate-size/part": expected_rows(RING)}


def fill_disk():
    """Let what is written to Parquet files fail as on a full disk."""
    real = output.pq.ParquetWriter
    output.pq.ParquetWriter = lambda path, *arguments, **options: real("/dev/full", *arguments, **options)


def test_a_full_disk_fails_the_run_with_a_message_and_no_rows(spark, tmp_path, monkeypatch):
    around(monkeypatch, "FollowTask", before=fill_disk)

    with pytest.raises(PipelineError, match=r"cannot be written: .*No space left on device"):
        write(spark, RING, tmp_path, Options(buckets=1))

    assert not list(tmp_path.glob("*/run_id=*/**/*.parquet"))


def test_what_is_no_file_is_not_waited_for(tmp_path, captures):
    os.mkfifo(captures / "pipe.pcap")

    (pipe,) = [each for each in find_inputs([str(captures)]) if each.path.endswith("pipe.pcap")]

    assert pipe.reason == f"{captures / 'pipe.pcap'}: is no regular file"
