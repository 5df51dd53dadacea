import json

import pytest

from tests.cli.conftest import Run
from tests.conftest import needs_shared
from tests.questions import recomputed

BEFORE, AFTER = "java-4.3.1-basic.pcap", "librdkafka.pcap"


def test_a_capture_differs_in_nothing_from_itself(run: Run) -> None:
    rows = [json.loads(line) for line in run("compare", BEFORE, BEFORE, "--json").stdout.splitlines()]
    assert {row["about"] for row in rows} == {"calls"}
    assert all(row["calls_before"] == row["calls_after"] for row in rows)
    assert all(row["p99_ms_before"] == row["p99_ms_after"] for row in rows)


@needs_shared
def test_calls_are_those_of_both_captures(run: Run) -> None:
    rows = [json.loads(line) for line in run("compare", BEFORE, AFTER, "--json").stdout.splitlines()]
    found = {(row["api_name"], row["api_version"]): row for row in rows if row["about"] == "calls"}
    for side, name in (("before", BEFORE), ("after", AFTER)):
        lines = [json.loads(line) for line in run("read", name, "--json").stdout.splitlines()]
        expected = recomputed.stats([line for line in lines if line["type"] == "call"], ["api_name", "api_version"])
        told = {key for key, row in found.items() if row[f"calls_{side}"]}
        assert told == expected.keys()
        for key, row in expected.items():
            assert found[key][f"calls_{side}"] == row["calls"]
            assert found[key][f"failed_{side}"] == row["failed"]
            assert found[key][f"p50_ms_{side}"] == pytest.approx(row["p50_ms"])
            assert found[key][f"p99_ms_{side}"] == pytest.approx(row["p99_ms"])
    clients = {row["client_id"] for row in rows if row["about"] == "clients"}
    assert {"shop-c1", "rdk-shop-c1"} <= clients


def test_clients_and_errors_that_came_and_went_are_told(run: Run) -> None:
    shown = run("compare", BEFORE, AFTER).stdout
    assert "rdk-shop-c1" in shown
    assert "UNKNOWN_TOPIC_OR_PARTITION" in shown
