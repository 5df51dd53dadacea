"""Metrics of a follower, scraped while it runs, against what `read` says of the same files."""

import json
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from kafkasniff.reading import Reading
from tests.conftest import ROOT
from tests.networks import needs
from tests.pipeline.follow.batches import put
from tests.pipeline.runs import RING, rows

parser = pytest.importorskip("prometheus_client.parser", reason="the extra `metrics` is not installed")


def scrape(address, path="/metrics"):
    with urllib.request.urlopen(address + path, timeout=10) as answer:
        return answer.read().decode()


def values(text):
    """Give the samples; those of tables by the tables' names."""
    samples = [sample for family in parser.text_string_to_metric_families(text) for sample in family.samples]
    return {each.labels.get("table", each.name.removeprefix("kafkasniff_pipeline_")): each.value for each in samples}


def packets_in(paths):
    reading = Reading(paths)
    for _ in reading:
        pass
    return reading.summary.packets


@needs("promtool")
def test_a_follower_tells_how_far_behind_it_is(tmp_path):
    folder = tmp_path / "in"
    put(folder, range(3))
    command = [sys.executable, "-m", "kafkasniff", "pipeline", "--follow", folder, tmp_path / "tables"]
    options = ["--metrics", "127.0.0.1:0", "--still", "60m", "--master", "local[1]"]
    with subprocess.Popen([*command, *options], cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        try:
            said = iter(process.stderr.readline, "")
            address = next(line for line in said if line.startswith("metrics at ")).split()[2].removesuffix("/metrics")
            first = values(scrape(address))
            assert next(said).startswith("kafkasniff: files: 2;")
            # It looks at the folder once more.
            while (text := scrape(address)) and values(text)["waiting_files"] > 1:
                time.sleep(0.2)
            behind = values(text)
            alerts = (ROOT / "deploy" / "prometheus-alerts.yml").read_text()
            assert {*re.findall(r"kafkasniff_pipeline_\w+", alerts)} <= {*re.findall(r"^kafkasniff_\w+", text, re.M)}
            assert scrape(address, "/readyz") == "ok\n"
        finally:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert first["packets_total"] == first["lag_seconds"] == 0
    assert behind["files_total"] == 2
    assert behind["packets_total"] == packets_in(RING[:2])
    assert behind["calls"] == len(rows(tmp_path / "tables", "calls")) > 0
    assert behind["waiting_files"] == 1
    assert behind["waiting_bytes"] == Path(RING[2]).stat().st_size
    # `put` makes files look 30 s old.
    assert 30 < behind["lag_seconds"] < 30 + 600
    assert behind["unread_files"] == behind["failed_tasks_total"] == behind["renewals_total"] == 0
    assert behind["micro_batch_seconds_count"] == 1
    (record,) = (tmp_path / "tables" / "_runs").iterdir()
    assert behind["micro_batch_seconds_sum"] == json.loads(record.read_text())["seconds"]
    # What Prometheus itself thinks of the text.
    subprocess.run(["promtool", "check", "metrics"], input=text, text=True, check=True)


def test_a_port_that_cannot_be_had_is_said_before_spark_starts(tmp_path):
    (tmp_path / "in").mkdir()
    command = [sys.executable, "-m", "kafkasniff", "pipeline", "--follow", "in", "tables", "--metrics", "192.0.2.1:1"]

    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)

    assert done.returncode == 1
    assert done.stderr == "kafkasniff: --metrics 192.0.2.1:1: cannot be served: Cannot assign requested address\n"
