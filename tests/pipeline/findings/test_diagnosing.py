import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.pipeline.findings import shares
from kafkasniff.pipeline.options import Options
from kafkasniff.reading import Reading
from kafkasniff.render.diagnosis.findings import finding_object
from kafkasniff.tables.rings import ring_of
from tests.conftest import SHARED, needs_shared
from tests.pipeline.test_loading import RING, rows, write

MISBEHAVE = SHARED / "captures" / "misbehave"
APART = ["crc-mismatch-1", "not-leader-loop-1", "rebalance-storm-1", "tcp-retransmissions-1"]
"""Of four clusters."""


def wanted(*paths):
    """What `diagnose --json` says of captures."""
    diagnosis = Diagnosis()
    for item in Reading(list(paths), connections=True):
        diagnosis.feed(item)
    return Counter(shown(finding_object(finding, numbered=False)) for finding in diagnosis.findings())


def shown(line):
    return json.dumps({name: value for name, value in line.items() if name not in ("firstTime", "lastTime")})


def found(folder):
    """The findings by vantages."""
    by_vantages = {}
    for row in rows(folder, "findings"):
        line = {name: row[name] for name in ("rule", "severity")} | {"subject": json.loads(row["subject"])}
        line |= {name: row[name] for name in ("count", "summary", "cause", "fix")}
        line |= {name: json.loads(row[name]) for name in ("evidence", "consequences")}
        by_vantages.setdefault(tuple(row["vantages"]), Counter())[shown(line)] += 1
    return by_vantages


@needs_shared
@pytest.mark.parametrize(("buckets", "events"), [(1, shares.EVENTS_A_TASK), (7, 50)], ids=["whole", "shared out"])
def test_findings_are_those_of_diagnose(spark, tmp_path, monkeypatch, buckets, events):
    """Also where a second run brings more to what tasks know."""
    monkeypatch.setattr(shares, "EVENTS_A_TASK", events)
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
