"""Incidents recorded with real clients: each is found by a rule of its label, with its culprit, and nothing else is."""

from pathlib import Path

import pytest

from tests.conformance.labels import CAPTURES, judge, label_of
from tests.conftest import ROOT, needs_shared

INCIDENTS = [
    *(pytest.param(path, marks=needs_shared) for path in sorted((CAPTURES / "incidents").glob("*.pcap"))),
    *sorted((ROOT / "captures" / "incidents").glob("*.pcap")),
]


@pytest.mark.parametrize("capture", INCIDENTS, ids=lambda capture: capture.stem)
def test_the_label_is_found_and_nothing_else(capture: Path) -> None:
    right, _, other = judge(capture)
    assert bool(right) == bool(label_of(capture).rules)
    assert [(finding.rule, finding.summary) for finding in other] == []
    assert all(finding.evidence for finding in right)
