"""A follower; test_cluster.py kills one, and goes on."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.follow.following import Following
from kafkasniff.pipeline.follow.ledger import Ledger, run_id
from kafkasniff.pipeline.follow.micro_batch import LATE_SECRETS
from kafkasniff.pipeline.inputs.watching import Watch
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.run_record import Observer
from kafkasniff.reading import Reading
from tests.pipeline.expected import expected_rows
from tests.pipeline.follow.batches import TABLES, put
from tests.pipeline.runs import CALLS_OF_EMBEDDED, RING, by_vantage, key_log_in, rows, split


class Observing(Observer):
    def __init__(self, done, again):
        self.done, self.again = done, again


def following(spark, folder, tables, done=lambda record: None, options=Options, again=pytest.fail):
    ledger = Ledger(str(tables), run_id([str(folder)], ["", "False"]), TABLES)
    state = ledger.open()
    watch = Watch([str(folder)], str(tables), 600)
    return ledger, Following(spark, ledger, state, watch, options, Observing(done, again))


def follow(spark, folder, tables, **options):
    ledger, follower = following(spark, folder, tables, **options)
    try:
        follower.run(finish=True)
    finally:
        ledger.close()


@pytest.fixture
def traffic_and_secrets(spark, tmp_path):
    """What was followed has TLS connections, and none of their secrets."""
    traffic, secrets = split(tmp_path / "split")
    folder = tmp_path / "in"
    folder.mkdir()
    shutil.copy(traffic, folder / "a.pcapng")
    follow(spark, folder, tmp_path / "tables")
    assert not rows(tmp_path / "tables", "calls")
    return folder / "a.pcapng", Path(secrets)


def test_secrets_that_come_later_let_all_be_read_again(spark, tmp_path, traffic_and_secrets):
    traffic, secrets = traffic_and_secrets
    shutil.copy(secrets, traffic.with_name("b.pcapng"))
    said = []

    for _ in range(2):
        follow(spark, traffic.parent, tmp_path / "tables", again=said.append)

    assert said == [LATE_SECRETS]
    (shown,) = by_vantage(tmp_path / "tables").values()
    assert shown == expected_rows([str(traffic), str(traffic.with_name("b.pcapng"))])
    assert len(rows(tmp_path / "tables", "calls")) == CALLS_OF_EMBEDDED


@pytest.mark.parametrize("gone", [False, True])
def test_so_do_those_of_a_key_log_that_grew_unless_files_are_gone(spark, tmp_path, traffic_and_secrets, gone):
    traffic, secrets = traffic_and_secrets
    options = Options(key_log_in(str(secrets)))
    others = sum(isinstance(item, Call) for item in Reading([RING[0]]))
    shutil.copy(RING[0], traffic.with_name("b.pcapng"))
    if gone:
        traffic.unlink()
    said = []

    for _ in range(2):
        follow(spark, traffic.parent, tmp_path / "tables", options=lambda: options, again=said.append)

    assert said == [LATE_SECRETS] * (not gone)
    found = Counter(row["file"] for row in rows(tmp_path / "tables", "files"))
    assert found == {str(traffic): 1, str(traffic.with_name("b.pcapng")): 1}
    assert len(rows(tmp_path / "tables", "calls")) == CALLS_OF_EMBEDDED * (not gone) + others


def test_told_to_stop_it_commits_and_keeps_what_is_open(spark, tmp_path):
    folder, tables = tmp_path / "in", tmp_path / "tables [1], {2}"
    put(folder, range(2))
    ledger, follower = following(spark, folder, tables, lambda _: follower.stop())

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
