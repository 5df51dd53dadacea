import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from kafkasniff.pipeline.inputs.files import find_inputs
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.planning import plan_run

RING = "captures/rotate-size"


def dry_run(*arguments):
    command = [sys.executable, "-m", "kafkasniff", "pipeline", *map(str, arguments), "--dry-run"]
    return subprocess.run(command, check=False, capture_output=True, text=True, env=os.environ | {"JAVA_HOME": "/none"})


def test_all_is_new_to_the_first_run_and_nothing_is_written(tmp_path):
    done = dry_run(RING, tmp_path / "tables")

    size = sum(path.stat().st_size for path in Path(RING).glob("*.pcap"))
    files = len(list(Path(RING).glob("*.pcap")))
    assert done.returncode == 0, done.stderr
    first, ring, tasks = done.stdout.splitlines()
    assert re.fullmatch(rf"run r[0-9a-f]{{15}}: {files} of {files} files would be read, {size / 1e3:.1f} kB", first)
    assert ring == f"  {RING}/part: {files} files, {size / 1e3:.1f} kB, from 2026-11-21T00:46:49.195318Z"
    assert re.fullmatch(r"1 step; about \d+ tasks? for the index, \d+ for calls in each step; \d+ at once", tasks)
    assert not (tmp_path / "tables").exists()


def test_what_cannot_be_read_is_said(tmp_path):
    (tmp_path / "captures").mkdir()
    for number in range(12):
        (tmp_path / "captures" / f"{number}.txt").write_text("no capture")
    shutil.copy(next(Path(RING).glob("*.pcap")), tmp_path / "captures")

    said = dry_run(tmp_path / "captures", tmp_path / "tables").stdout.splitlines()

    assert sum(line.startswith("would not be read: ") for line in said) == 11
    assert "would not be read: 2 more files" in said


def test_what_is_read_at_a_time_is_a_step():
    inputs = find_inputs([RING])

    plan = plan_run(inputs, None, Options(range_bytes=50_000), 2)

    assert plan.steps == 1
    assert plan.size == sum(each.size for each in inputs)
    # Each task takes as much as its share, and to open a file counts a megabyte.
    assert 1 <= plan.index_tasks <= len(inputs)
    assert plan.buckets == 2


def test_follow_has_no_plan(tmp_path):
    done = dry_run(RING, tmp_path / "tables", "--follow")

    assert done.returncode == 2
    assert "leave --follow out" in done.stderr
