import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pyarrow.dataset as ds
import pytest

from kafkasniff.pipeline.follow.ledger import Ledger, run_id, tables_of
from kafkasniff.pipeline.inputs.files import find_inputs
from kafkasniff.pipeline.loading import load
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.run_record import Observer

RING = sorted(Path("captures/rotate-size").glob("*.pcap"))


STEPS = ("index", "calls", "names of topics", "findings")


def run(spark, sources, folder):
    ledger = Ledger(str(folder), run_id([], []), tables_of(False))
    state = ledger.open()
    try:
        load(spark, ledger, state, find_inputs([str(each) for each in sources]), Options(), Observer())
    finally:
        ledger.close()


def rows(folder, table):
    return ds.dataset(f"{folder}/{table}", partitioning="hive").count_rows()


def test_each_run_leaves_a_record_that_agrees_with_the_tables(spark, tmp_path):
    broken = tmp_path / "broken.pcap"
    broken.write_bytes(b"no capture")
    run(spark, [RING[0], broken], tmp_path / "tables")
    run(spark, [*RING, broken], tmp_path / "tables")

    first, second = (json.loads(path.read_text()) for path in sorted((tmp_path / "tables" / "_runs").iterdir()))
    assert (first["number"], second["number"]) == (1, 2)
    assert first["files"] == 2
    assert first["bytes"] == os.path.getsize(RING[0]) + len(b"no capture")
    assert second["files"] == len(RING) - 1
    assert first["reasons"] == [
        f"{broken}: byte 0: not a capture: expected a pcap or pcapng magic number, found 6e 6f 20 63"
    ]
    assert second["unread"] == 1
    for table in ("calls", "connections", "files", "findings"):
        assert second["rows"][table] == rows(tmp_path / "tables", table)
        assert second["rows"][table] == first["rows"][table] + second["rows_added"][table]
    assert {"index", "calls", "findings", "commit"} <= first["steps"].keys()
    assert sum(first["steps"].values()) <= first["seconds"]
    assert {each["step"] for each in first["stages"]} == set(STEPS)
    of_calls = [each["tasks"] for each in first["stages"] if each["step"] == "calls"]
    assert of_calls == [spark.sparkContext.defaultParallelism]  # as many buckets as so few bytes are put into
    assert all(0 <= each["median_seconds"] <= each["longest_seconds"] <= each["seconds"] for each in first["stages"])
    # Packets' places and events go to other tasks; what tasks tell of calls is only collected.
    steps = {step: sum(each["shuffled_bytes"] for each in first["stages"] if each["step"] == step) for step in STEPS}
    assert steps["index"]
    assert steps["findings"]
    assert not steps["calls"]
    assert first["versions"]["spark"] == spark.version
    jobs = spark.sparkContext._jsc.sc().statusStore().jobsList(None)
    texts = [str(jobs.apply(number).description()) for number in range(jobs.size())]
    assert any(f"{run_id([], [])}, 1: index (2 files" in each for each in texts)


def test_only_those_who_may_read_the_tables_read_records(spark, tmp_path):
    ledger = Ledger(str(tmp_path / "tables"), run_id([], []), tables_of(False), 0o640)
    ledger.open()
    ledger.write_record(7, b"{}")
    ledger.write_record(1007, b"{}")
    ledger.close()

    (left,) = (tmp_path / "tables" / "_runs").iterdir()
    assert left.name.endswith("-00001007.json")
    assert stat.S_IMODE(left.stat().st_mode) == 0o640
    assert stat.S_IMODE(left.parent.stat().st_mode) == 0o750


@pytest.mark.parametrize("following", [[], ["--follow", "--finish"]], ids=["run", "follow"])
def test_json_is_what_stands_beside_the_tables(tmp_path, following):
    command = [sys.executable, "-m", "kafkasniff", "pipeline", *following, "captures/rotate-size", str(tmp_path)]

    done = subprocess.run(
        [*command, "--json", "--master", "local[1]"], capture_output=True, text=True, check=True, timeout=300
    )

    printed = [json.loads(line) for line in done.stdout.splitlines()]
    assert printed == [json.loads(path.read_text()) for path in sorted((tmp_path / "_runs").iterdir())]
    assert sum(record["rows_added"]["calls"] for record in printed) == 99
