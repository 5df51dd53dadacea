import json
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from kafkasniff.pipeline import output
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.output import Destination, TableWriter
from kafkasniff.pipeline.schemas import schema_of
from kafkasniff.tables.declared import FILES

DAY_NS = 86_400_000_000_000
NOON = 20_777 * DAY_NS + DAY_NS // 2
"""Of 2026-11-20."""


def file_rows(*names, time=NOON):
    return [("files", time, ("ring", name, 1, None, None, 0, 0, 0, "read", None)) for name in names]


def staged(folder, *names, resume=False):
    destination = Destination(str(folder), "r1")
    destination.begin(resume)
    writer = TableWriter(destination.staging, "part-0")
    writer.add(file_rows(*names))
    return destination, writer.close()


def names_in(folder):
    paths = sorted(folder.glob("files/run_id=*/date=*/*.parquet"))
    return [name for path in paths for name in pq.ParquetFile(path).read().column("file").to_pylist()]


def test_rows_lie_by_run_and_date(tmp_path):
    destination = Destination(str(tmp_path), "r1")
    destination.begin(resume=False)
    writer = TableWriter(destination.staging, "part-0")
    writer.add(file_rows("a"))
    writer.add(file_rows("b", time=NOON + DAY_NS))

    counts = destination.commit(writer.close(), ["files", "errors"], 20_777)

    assert counts == {"files": 2, "errors": 0}
    folders = {str(path.parent.relative_to(tmp_path)) for path in tmp_path.rglob("*.parquet")}
    assert folders == {
        "files/run_id=r1/date=2026-11-20",
        "files/run_id=r1/date=2026-11-21",
        "errors/run_id=r1/date=2026-11-20",
    }
    assert destination.finished() == counts
    assert not [*tmp_path.glob("_staging-*")]


def test_many_rows_of_many_days_keep_few_files_open(tmp_path, monkeypatch):
    monkeypatch.setattr(output, "_BUFFERED_ROWS", 2)
    monkeypatch.setattr(output, "_MOST_OPEN", 3)
    destination = Destination(str(tmp_path), "r1")
    destination.begin(resume=False)
    writer = TableWriter(destination.staging, "part-0")
    names = [f"{number:03}" for number in range(60)]
    for number, name in enumerate(names):
        writer.add(file_rows(name, time=NOON + number % 7 * DAY_NS))
        assert len(writer._open) <= 3

    destination.commit(writer.close(), ["files"], 20_777)

    assert sorted(names_in(tmp_path)) == names


def test_files_of_failed_attempts_are_not_kept(tmp_path):
    destination, written = staged(tmp_path, "a")
    failed = TableWriter(destination.staging, "part-1")
    failed.add(file_rows("a"))
    failed.close()

    destination.commit(written, ["files"], 20_777)

    assert names_in(tmp_path) == ["a"]


@pytest.mark.parametrize("moved", [0, 1])
def test_a_commit_that_was_killed_is_ended_by_the_next_run(tmp_path, monkeypatch, moved):
    destination, written = staged(tmp_path, "a")
    renames = []

    def rename(source, target, real=output.os.rename):
        if len(renames) == moved:
            raise KeyboardInterrupt
        renames.append(target)
        real(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(output.os, "rename", rename)
        with pytest.raises(KeyboardInterrupt):
            destination.commit(written, ["files", "errors"], 20_777)

    assert Destination(str(tmp_path), "r1").finished() == {"files": 1, "errors": 0}
    assert names_in(tmp_path) == ["a"]
    assert json.loads((tmp_path / "_runs" / "r1.json").read_text())["rows"] == {"files": 1, "errors": 0}
    assert len(list(tmp_path.glob("errors/run_id=r1/*/empty.parquet"))) == 1


def test_a_run_that_was_killed_before_its_commit_leaves_no_rows(tmp_path):
    staged(tmp_path, "a")

    assert Destination(str(tmp_path), "r1").finished() is None
    assert names_in(tmp_path) == []


def test_a_destination_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(PipelineError, match=r"file: cannot be written: (File exists|Not a directory)"):
        Destination(str(tmp_path / "file"), "r1").begin(resume=False)


def test_a_full_disk_is_said(tmp_path):
    # Everything written to /dev/full fails as on a full disk.
    destination = Destination(str(tmp_path), "r1")
    destination.begin(resume=False)
    folder = Path(destination.staging, "files", "date=2026-11-20")
    folder.mkdir(parents=True)
    (folder / "part-0-0.parquet").symlink_to("/dev/full")
    writer = TableWriter(destination.staging, "part-0")
    writer.add(file_rows("a"))

    with pytest.raises(PipelineError, match=r"cannot be written: .*No space left on device"):
        writer.close()


def test_the_columns_of_a_file_are_those_declared(tmp_path):
    destination, written = staged(tmp_path, "a")

    destination.commit(written, ["files"], 20_777)

    (path,) = tmp_path.glob("files/*/*/*.parquet")
    assert pq.read_schema(path).equals(schema_of(FILES))


def test_rows_are_on_the_disk_before_the_run_is_said_to_be_complete(tmp_path, monkeypatch):
    steps = []
    fsync, replace = output.os.fsync, output.os.replace

    def note_fsync(descriptor):
        steps.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        fsync(descriptor)

    def note_replace(source, target):
        steps.append(target)
        replace(source, target)

    monkeypatch.setattr(output.os, "fsync", note_fsync)
    monkeypatch.setattr(output.os, "replace", note_replace)
    destination, written = staged(tmp_path, "a")
    destination.commit(written, ["files"], 20_777)

    (record,) = tmp_path.glob("_runs/*.json")
    complete = steps.index(f"{record}.ending")
    file = f"{destination.staging}/{written[0].path}"
    assert {file, os.path.dirname(file), f"{destination.staging}/files", destination.staging} <= {*steps[:complete]}
    # And in their place before that is forgotten.
    behind = steps[complete:]
    assert behind.index(str(record.parent)) < behind.index(str(tmp_path / "files")) < behind.index(str(record))


def plant(folder, names=("_done/0-of-2", "files/date=2026-11-20/planted.parquet")):
    """A folder with what a run would leave in it."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"planted")
    folder.chmod(0o700)


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize("whose", ["another user", "others may write", "a link"])
def test_what_others_put_into_the_destination_is_not_taken_over(tmp_path, resume, whose):
    planted = tmp_path / "_staging-r1-0123456789abcdef"
    if whose == "a link":
        plant(tmp_path / "elsewhere")
        planted.symlink_to(tmp_path / "elsewhere")
    else:
        plant(planted)
    if whose == "another user":
        if os.geteuid():
            pytest.skip("only root can make a folder of another user")
        os.chown(planted, 65534, 65534)
    if whose == "others may write":
        planted.chmod(0o707)

    destination, written = staged(tmp_path, "a", resume=resume)

    assert destination.staging != str(planted)
    assert os.stat(destination.staging).st_mode & 0o777 == 0o700
    destination.commit(written, ["files"], 20_777)
    assert names_in(tmp_path) == ["a"]
    assert (planted / "_done" / "0-of-2").read_bytes() == b"planted"


def test_what_this_user_left_is_gone_on_with_only_where_that_is_asked(tmp_path):
    first, _ = staged(tmp_path, "a")
    again = Destination(str(tmp_path), "r1")
    again.begin(resume=True)
    assert again.staging == first.staging
    anew = Destination(str(tmp_path), "r1")
    anew.begin(resume=False)
    assert anew.staging != first.staging
    assert [str(path) for path in tmp_path.glob("_staging-*")] == [anew.staging]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file of another user")
def test_the_end_of_a_run_is_not_taken_from_another_user(tmp_path):
    destination, _ = staged(tmp_path, "a")
    record = tmp_path / "_runs" / "r1.json.ending"
    record.write_text(json.dumps({"rows": {"files": 1}, "staging": os.path.basename(destination.staging)}))
    os.chown(record, 65534, 65534)
    assert Destination(str(tmp_path), "r1").finished() is None
    assert names_in(tmp_path) == []
