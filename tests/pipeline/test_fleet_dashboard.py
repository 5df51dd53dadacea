"""deploy/grafana-fleet-dashboard.json: Spark answers what its panels ask of the pipeline's tables."""

import json
import re
from collections import Counter

import pytest

from tests.conftest import ROOT, needs_shared
from tests.pipeline.labelled import culprit
from tests.pipeline.runs import rows

PANELS = {
    panel["title"]: panel["targets"][0]["rawSQL"]
    for panel in json.loads((ROOT / "deploy" / "grafana-fleet-dashboard.json").read_text())["panels"]
}

pytestmark = needs_shared


@pytest.fixture(scope="module")
def shown(spark, labelled_tables):
    """The rows of each panel, of all times."""
    return {
        title: [row.asDict() for row in spark.sql(re.sub(r"\$__timeFilter\(\w+\)", "true", text)).collect()]
        for title, text in PANELS.items()
    }


def test_each_panel_shows_rows_but_that_of_unread_files(shown):
    assert {title for title, found in shown.items() if not found} == {"Files that were not read to their end"}


def test_sums_are_those_of_the_tables(shown, labelled_tables):
    calls = rows(labelled_tables, "calls")
    by_server = Counter()
    for row in shown["Calls by broker"]:
        by_server[row["metric"]] += row["calls"]
    assert by_server == Counter(row["server"] for row in calls)
    assert sum(row["calls"] for row in shown["Client software"]) == len(calls)
    assert sum(row["errors"] for row in shown["Error codes"]) == len(rows(labelled_tables, "errors"))
    assert sum(row["findings"] for row in shown["Findings, worst first"]) == len(rows(labelled_tables, "findings"))
    failed = shown["Clients whose calls fail"]
    assert sum(row["failed"] for row in failed) == sum(bool(row["error_names"]) for row in calls)


def test_the_client_that_was_made_to_fail_is_shown_first(shown):
    first = shown["Clients whose calls fail"][0]
    assert first["client_id"] == culprit("not-leader-loop-1")["client_id"]
