"""Micro-batches give the tables that one run over the same files gives."""

import json
from pathlib import Path

from kafkasniff.pipeline.follow_state import Ledger, State, follow_id
from kafkasniff.pipeline.inputs import find_inputs
from kafkasniff.pipeline.micro_batch import Plan, run_micro_batch
from kafkasniff.pipeline.options import Options
from tests.pipeline.test_job import CAPTURES, RING, rows, write

TABLES = ("calls", "errors", "batches", "connections", "findings", "files")


def all_rows(folder):
    """Give the rows of all tables, in an order of their own, but for the run."""
    return {
        table: sorted(
            json.dumps({name: value for name, value in row.items() if name != "run_id"}, default=str)
            for row in rows(folder, table)
        )
        for table in TABLES
    }


def follow(spark, folder, tables, groups, options=None):
    """Give the state behind micro-batches of files, each started as by a new process."""
    options = options or Options()
    run = follow_id([str(folder)], options.texts())
    for number, paths in enumerate(groups, 1):
        ledger = Ledger(str(tables), run, TABLES)
        state = ledger.open() or State(buckets=2)
        inputs = find_inputs([str(path) for path in paths])
        state = run_micro_batch(spark, ledger, state, Plan(number, inputs, last=number == len(groups)), options)
        ledger.close()
    return state


def test_micro_batches_give_what_one_run_gives(spark, tmp_path):
    keys = b"\n".join(path.read_bytes() for path in sorted(CAPTURES.glob("*.keys")))
    others = sorted([*CAPTURES.glob("*.pcap"), *CAPTURES.glob("*.pcapng")])
    ring = [Path(path) for path in RING]
    options = Options(key_log=keys)

    state = follow(
        spark, CAPTURES, tmp_path / "followed", [ring[:2] + others[:3], ring[2:3], ring[3:] + others[3:]], options
    )

    write(spark, [*RING, *others], tmp_path / "once", options)
    found, wanted = all_rows(tmp_path / "followed"), all_rows(tmp_path / "once")
    for table in TABLES:
        assert found[table] == wanted[table], table
    assert state.counts(TABLES) == {table: len(found[table]) for table in TABLES}
