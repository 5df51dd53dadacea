"""A follower; test_cluster.py kills one, and goes on."""

import os
import shutil
import time
from pathlib import Path

import pytest

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.follow.following import Following
from kafkasniff.pipeline.follow.state import Ledger, run_id
from kafkasniff.pipeline.inputs.watching import Watch
from kafkasniff.pipeline.options import Options
from tests.pipeline.follow.test_micro_batch import TABLES
from tests.pipeline.test_loading import RING


def put(folder, numbers):
    folder.mkdir(exist_ok=True)
    for number in numbers:
        path = Path(shutil.copy(RING[number], folder))
        os.utime(path, (time.time() - 30,) * 2)


def following(spark, folder, tables, told=None):
    ledger = Ledger(str(tables), run_id([str(folder)], ["", "False"]), TABLES)
    state = ledger.open()
    watch = Watch([str(folder)], str(tables), 600)
    return ledger, Following(spark, ledger, state, watch, Options, told or (lambda *_: None))


def test_told_to_stop_it_commits_and_keeps_what_is_open(spark, tmp_path):
    folder, tables = tmp_path / "in", tmp_path / "tables [1], {2}"
    put(folder, range(2))
    ledger, follower = following(spark, folder, tables, lambda *_: follower.stop())

    follower.run(finish=False)

    ledger.close()
    assert follower.state.files_read == 1
    assert any(each.saved for each in follower.state.carried.values())
    ledger, again = following(spark, folder, tables)
    ledger.close()
    assert again.state.batch == 1


def test_what_goes_wrong_in_a_micro_batch_ends_it_with_its_message(spark, tmp_path, monkeypatch):
    folder, tables = tmp_path / "in", tmp_path / "tables"
    put(folder, range(2))
    ledger, follower = following(spark, folder, tables)

    def full(_state):
        raise PipelineError("no room")

    monkeypatch.setattr(ledger, "commit", full)
    with pytest.raises(PipelineError, match="no room"):
        follower.run(finish=True)
    ledger.close()
