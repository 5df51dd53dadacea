import os
import signal
from collections import Counter
from dataclasses import replace
from itertools import count
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.findings.shares import Deal
from kafkasniff.pipeline.follow.carry import Saved
from kafkasniff.pipeline.follow.findings import Cluster
from kafkasniff.pipeline.follow.ledger import Ledger, run_id
from kafkasniff.pipeline.follow.state import HeldEvents, LatestFile, Ring, State
from kafkasniff.pipeline.follow.tasks import Carried
from kafkasniff.pipeline.indexes.indexing import FileReport
from kafkasniff.pipeline.inputs.files import Input
from kafkasniff.pipeline.inputs.read_files import Read, ReadFiles
from kafkasniff.pipeline.rows.output import TableWriter, Written
from kafkasniff.pipeline.rows.reassembly import Part
from kafkasniff.tcp.tls.context import TlsCounters
from kafkasniff.typed_json import to_json
from tests.pipeline.follow.batches import file_row

TABLES = ("errors", "files")


def written(ledger, name, count):
    writer = TableWriter(ledger.work, name)
    writer.add(("files", 0, file_row(f"{name}-{number}")) for number in range(count))
    return writer.close()


def names(ledger):
    folder = os.path.join(ledger.path, "files")
    found = [os.path.join(path, name) for path, _, files in os.walk(folder) for name in files]
    return sorted(name for path in found for name in pq.read_table(path).column("file").to_pylist())


def opened(tmp_path):
    ledger = Ledger(str(tmp_path), "r1", TABLES)
    return ledger, ledger.open()


def prepared(ledger, before):
    """Give the state of a micro-batch that adds two rows, and has one in the place of those before it."""
    state = before.next()
    state.moves += written(ledger, f"kept-{state.batch}", 2)
    state.rows["files"] += 2
    state.replace("files", written(ledger, f"latest-{state.batch}", 1))
    return state


WANTED = [
    [],
    ["kept-1-0", "kept-1-1", "latest-1-0"],
    ["kept-1-0", "kept-1-1", "kept-2-0", "kept-2-1", "latest-2-0"],
]


def test_later_rows_take_the_place_of_those_that_do_not_stay(tmp_path):
    ledger, _ = opened(tmp_path)
    state = State(buckets=1)
    for wanted in WANTED[1:]:
        state = prepared(ledger, state)
        ledger.commit(state)
        assert names(ledger) == wanted
        assert state.counts(TABLES) == {"errors": 0, "files": len(wanted)}
    assert pq.read_table(next((tmp_path / "errors").rglob("*.parquet"))).num_rows == 0


def commit_until_killed(ledger, state, steps):
    """Commit in a process that is killed behind some of its steps; give how it ended."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    left = iter(range(steps))

    def killing(real):
        def act(*arguments):
            if next(left, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments)

        return act

    try:
        for name in ("replace", "unlink", "fsync"):
            setattr(os, name, killing(getattr(os, name)))
        ledger.commit(state)
    finally:
        os._exit(0)


def test_a_process_that_is_killed_in_a_commit_leaves_all_of_it_or_nothing(tmp_path):
    found = []
    for steps in count():
        ledger, _ = opened(tmp_path / str(steps))
        first = prepared(ledger, State(buckets=1))
        ledger.commit(first)

        ended = commit_until_killed(ledger, prepared(ledger, first), steps)
        ledger.close()

        if not ended:
            break
        assert ended == -signal.SIGKILL
        ledger, state = opened(tmp_path / str(steps))
        found.append(state.batch)
        assert names(ledger) == WANTED[state.batch]
        assert not [files for _, _, files in os.walk(ledger.work) if files]
    # Until the state has its name there is nothing of it, from then on all.
    assert found == sorted(found)
    assert min(found.count(1), found.count(2)) > 3


def test_nobody_else_follows_at_the_same_time(tmp_path):
    ledger, _ = opened(tmp_path)

    with pytest.raises(PipelineError, match="another process follows the same"):
        opened(tmp_path)

    ledger.close()
    assert opened(tmp_path)[1] is None


def test_what_another_version_left_is_not_touched(tmp_path):
    ledger, _ = opened(tmp_path)
    ledger.commit(State(buckets=1))
    ledger.close()
    path = Path(ledger.folder, "state")
    path.write_bytes(path.read_bytes().replace(b"kafkasniff state 7", b"kafkasniff state 6"))

    with pytest.raises(PipelineError, match=r"keeps its state in another form: go on with that"):
        opened(tmp_path)


@pytest.mark.parametrize("how", ["others may enter", "another user", "a link", "others may write above"])
def test_nothing_is_read_that_others_can_have_put_there(tmp_path, how):
    """What engines are carried in becomes rows: nobody else may write it."""
    destination, planted = tmp_path / "tables", tmp_path / "planted"
    ledger, _ = opened(destination)
    ledger.commit(prepared(ledger, State(buckets=1)))
    ledger.close()
    if how == "others may enter":
        os.chmod(ledger.folder, 0o755)
    elif how == "a link":
        os.rename(ledger.folder, planted)
        os.symlink(planted, ledger.folder)
    elif how == "others may write above":
        destination.chmod(0o777)
    elif os.geteuid():
        pytest.skip("only root can give a folder to another user")
    else:
        os.chown(ledger.folder, 65534, 65534)

    if how == "others may write above":
        with pytest.raises(PipelineError, match=r"others may write to it"):
            opened(destination)
    else:
        again, state = opened(destination)
        assert state is None
        assert again.folder != ledger.folder


def test_a_state_is_read_as_it_was_written(tmp_path):
    ledger, _ = opened(tmp_path)
    part = Part("\udcff.pcap", b"\0\xff", "v", [(1, 6, 0, "eth0"), (1, 9, 65535, "")], 7)
    source = Input("a", 1, 2, b"h", "r", 3, lost=True)
    files = ReadFiles()
    files.add(Read("a", 1, 1 << 70, b"h", "r", None, 4, "v"))
    state = State(
        buckets=2,
        files=files,
        latest_files={"v": LatestFile(source, FileReport(0, interfaces=[(1, 6, 0, "x")], secrets=b"s"))},
        rings={"r": Ring(5, apart=True)},
        parts={3: part},
        carried={(0, "v"): Carried(Saved("x"), frozenset({3}), ("note",), TlsCounters(decrypted=2))},
        tls_sessions={b"\1": b"\2"},
        names={"v": {"one", "other"}},
        clusters=[Cluster(0, ("v",), (Deal((0, 2), True),), ((1, Saved("p", 7)),))],
        events=[HeldEvents("e", {"v": 9}, ((3, 3),))],
        provisional={"files": [Written("files", "f", 1)]},
        rows=Counter(files=1),
    )
    ledger.commit(state)
    ledger.close()

    found = opened(tmp_path)[1]
    [counters] = [each.tls_counters for each in found.carried.values()]
    counted = {name: getattr(counters, name) for name in TlsCounters.__slots__}
    assert {name: count for name, count in counted.items() if count} == {"decrypted": 2}
    assert replace(found, carried={}) == replace(state, carried={})
    assert to_json(found, State) == to_json(state, State)


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'["State"]', b"\x80\x04.", b"[" * 100_000])
def test_a_state_that_is_none_is_said(tmp_path, data):
    ledger, _ = opened(tmp_path)
    ledger.commit(prepared(ledger, State(buckets=1)))
    ledger.close()
    path = os.path.join(ledger.folder, "state")
    with open(path, "rb") as stream:
        version = stream.readline()
    with open(path, "wb") as stream:
        stream.write(version + data)

    with pytest.raises(PipelineError, match="cannot be read"):
        opened(tmp_path)


def test_a_disk_that_is_full_leaves_the_state_as_it_was(tmp_path, monkeypatch):
    ledger, _ = opened(tmp_path)
    state = prepared(ledger, State(buckets=1))
    ledger.commit(state)

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(PipelineError, match="cannot be written: No space left on device"):
        ledger.commit(prepared(ledger, state))

    assert names(ledger) == WANTED[1]


def test_the_same_directories_and_options_are_the_same_run(tmp_path):
    one, other = str(tmp_path / "one"), str(tmp_path / "other")

    assert run_id([one, other], ["a"]) == run_id([other, one + "/."], ["a"])
    assert len({run_id([one], ["a"]), run_id([one], ["b"]), run_id([other], ["a"])}) == 3
    # Spark takes folders like run_id=12 or run_id=1e5 for numbers.
    assert run_id([one], ["a"])[0].isalpha()
