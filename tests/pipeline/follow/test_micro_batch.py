"""Micro-batches give the tables that one run over the same files gives."""

from itertools import pairwise
from pathlib import Path

import pytest

from kafkasniff.pipeline.follow.ledger import Ledger, run_id
from kafkasniff.pipeline.follow.micro_batch import limits_of, run_micro_batch
from kafkasniff.pipeline.follow.plan import Plan
from kafkasniff.pipeline.follow.state import ENDED, State
from kafkasniff.pipeline.inputs.files import find_inputs
from kafkasniff.pipeline.inputs.watching import Watch
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.run_record import Observer
from kafkasniff.tables.rings import ring_of
from tests.conftest import SHARED, needs_shared
from tests.pipeline.expected import expected_rows
from tests.pipeline.follow.batches import TABLES, records
from tests.pipeline.runs import CAPTURES, RING, all_rows, by_vantage, rows, write

SOME = ("loss-reorder-client-side", "tls12-aes256-gcm-embedded", "tls13-aes128-gcm", "kafka-python", "ipv6")


class Follower:
    """Runs micro-batches, each as by a new process."""

    def __init__(self, spark, tables, options=None):
        self.spark, self.options = spark, options or Options()
        self.ledger = lambda: Ledger(str(tables), run_id([], []), TABLES)
        self.state = State(buckets=2)

    def take(self, inputs, gone=(), last=False):
        ledger = self.ledger()
        state = ledger.open() or self.state
        plan = Plan(state.batch + 1, inputs, gone, pauses=last)
        self.state = run_micro_batch(self.spark, ledger, state, plan, self.options, Observer())
        ledger.close()


def test_micro_batches_give_what_one_run_gives(spark, tmp_path):
    keys = b"\n".join(path.read_bytes() for path in sorted(CAPTURES.glob("*.keys")))
    others = sorted(str(path) for path in CAPTURES.iterdir() if path.stem in SOME and path.suffix.startswith(".pcap"))
    options = Options(key_log=keys)
    follower = Follower(spark, tmp_path / "followed", options)

    for paths in (RING[:4] + others[:3], RING[4:] + others[3:], []):
        follower.take(find_inputs(paths), last=not paths)

    once = write(spark, [*RING, *others], tmp_path / "once", options)
    found, wanted = all_rows(tmp_path / "followed"), all_rows(tmp_path / "once")
    for table in TABLES:
        assert found[table] == wanted[table], table
    assert follower.state.counts(TABLES) == {table: len(found[table]) for table in TABLES}
    assert sorted(limits_of(follower.state, keys)) == sorted(limits_of(once.state, keys))
    assert sorted(follower.state.reasons()) == sorted(once.state.reasons())


@needs_shared
def test_rows_get_names_that_are_told_later_and_files_may_go_on(spark, tmp_path):
    header, packets = records(SHARED / "captures/healthy/kraft3-clients.pcap")
    starts = [0, 1250, 1330, len(packets)]
    files = [header + b"".join(packets[start:end]) for start, end in pairwise(starts)]
    folder = tmp_path / "in"
    folder.mkdir()
    follower = Follower(spark, tmp_path / "followed")
    watch = Watch([str(folder)], str(tmp_path / "followed"), 60)
    waited = []

    def take():
        sight = watch.find(follower.state.files, everything=True)
        follower.take(sight.whole, sight.gone)

    for number, content in enumerate(files):
        path = folder / f"trace.pcap{number}"
        if number == 1:
            # What tcpdump has written when it stands still ends anywhere in a packet.
            path.write_bytes(content[: len(content) // 2])
            take()
        path.write_bytes(content)
        take()
        waited += follower.state.unnamed
        assert len(rows(tmp_path / "followed", "calls")) == follower.state.counts(TABLES)["calls"]
    follower.take([], last=True)
    assert waited

    write(spark, [folder], tmp_path / "once")
    found, wanted = all_rows(tmp_path / "followed"), all_rows(tmp_path / "once")
    for table in TABLES:
        assert found[table] == wanted[table], table


def test_late_files_leave_nothing_behind_that_is_carried(spark, tmp_path):
    """Each is a capture by itself: its rows are those that `read` gives for it alone."""
    late, others = [RING[1], RING[2]], [RING[0], *RING[4:7]]
    follower = Follower(spark, tmp_path / "tables")
    follower.take(find_inputs(others))
    before = follower.state

    for path in late:
        follower.take(find_inputs([path]))

    state = follower.state
    ring = ring_of(RING[0])
    for known in (state.ends, state.names, state.calls, state.fed, state.latest_files):
        assert known.keys() <= {ring}
    assert {vantage for _, vantage in state.carried} == {ring, ENDED}
    assert [each.vantages for each in state.clusters] == [(ring,)]
    assert state.events == []
    assert state.in_use() - before.in_use() <= {path for _, saved in state.clusters[0].saved for path in [saved.path]}
    assert len(rows(tmp_path / "tables", "calls")) == state.counts(TABLES)["calls"]
    follower.take([], last=True)
    shown = by_vantage(tmp_path / "tables")
    assert {vantage: shown[vantage] for vantage in late} == {path: expected_rows([path]) for path in late}
    assert sorted(row["file"] for row in rows(tmp_path / "tables", "files")) == sorted([*late, *others])


@pytest.mark.parametrize("name", ["removed", "overwritten"])
def test_a_file_that_changes_before_its_turn_stands_in_files(spark, tmp_path, name):
    folder = tmp_path / "in"
    folder.mkdir()
    first, second = folder / "trace.pcap0", folder / "trace.pcap1"
    first.write_bytes(Path(RING[0]).read_bytes())
    second.write_bytes(Path(RING[1]).read_bytes())
    follower = Follower(spark, tmp_path / "tables")
    inputs = find_inputs([str(folder)])
    if name == "removed":
        second.unlink()
    else:
        second.write_bytes(Path(RING[5]).read_bytes())

    follower.take(inputs, last=True)

    states = {Path(row["file"]).name: row["state"] for row in rows(tmp_path / "tables", "files")}
    assert states == {"trace.pcap0": "read", "trace.pcap1": "not read"}
