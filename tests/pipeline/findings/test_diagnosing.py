import gc
import json
import shutil
import weakref
from pathlib import Path

import pytest

from kafkasniff.pipeline.findings import shares
from kafkasniff.pipeline.findings.diagnosing import ClusterDiagnosis
from kafkasniff.pipeline.options import Options
from kafkasniff.tables.rings import ring_of
from tests.conftest import SHARED, needs_shared
from tests.pipeline.findings.compared import found, wanted
from tests.pipeline.runs import RING, write

MISBEHAVE = SHARED / "captures" / "misbehave"
APART = ["crc-mismatch-1", "not-leader-loop-1", "rebalance-storm-1", "tcp-retransmissions-1"]
"""Of four clusters."""


@needs_shared
@pytest.mark.parametrize(("buckets", "events"), [(1, shares.MOST_EVENTS), (7, 50)], ids=["whole", "shared out"])
def test_findings_are_those_of_diagnose(spark, tmp_path, monkeypatch, buckets, events):
    """Also where a second run brings more to what tasks know."""
    monkeypatch.setattr(shares, "EVENTS_A_TASK", events)
    monkeypatch.setattr(shares, "MOST_EVENTS", events)
    paths = [str(MISBEHAVE / f"{name}.pcap") for name in APART]

    write(spark, [*paths, *RING[:5]], tmp_path, Options(buckets=buckets))
    outcome = write(spark, [*paths, *RING], tmp_path, Options(buckets=buckets))

    assert found(tmp_path) == {(ring_of(path),): wanted(path) for path in paths} | {
        (ring_of(RING[0]),): wanted(*RING) for _ in range(bool(wanted(*RING)))
    }
    assert outcome.state.counts(["findings"])["findings"] >= len(APART)


@needs_shared
def test_what_two_vantages_of_a_cluster_saw_is_counted_once(spark, tmp_path):
    captures = tmp_path / "captures"
    captures.mkdir()
    for name in ("broker", "client"):
        shutil.copy(MISBEHAVE / "rebalance-storm-1.pcap", captures / f"{name}.pcap")

    write(spark, [captures], tmp_path / "tables [1]")

    ((vantages, findings),) = found(tmp_path / "tables [1]").items()
    assert vantages == (str(captures / "broker"), str(captures / "client"))
    alone = wanted(str(captures / "broker.pcap"))
    assert {(json.loads(line)["rule"], json.loads(line)["count"]) for line in findings} == {
        (json.loads(line)["rule"], json.loads(line)["count"]) for line in alone
    }
    assert Path(json.loads(next(iter(findings)))["evidence"][0]["file"]).stem in ("broker", "client")


def test_rules_that_are_forgotten_go_without_a_search_for_cycles():
    diagnosed = ClusterDiagnosis(shares.Share(0))
    rules = [weakref.ref(rule) for rule in diagnosed.diagnosis.rules]
    gc.collect()
    gc.disable()
    try:
        diagnosed.forget()
        del diagnosed
        assert not any(rule() for rule in rules)
    finally:
        gc.enable()
