"""Captures of five clusters, each with one client that does something wrong, which their labels name."""

import json

from tests.conftest import SHARED

MISBEHAVE = SHARED / "captures" / "misbehave"
SOME = ("not-leader-loop-1", "rebalance-storm-1", "below-kafka4-minimum-1", "connection-churn-1", "response-timeout-1")


def culprit(name):
    return json.loads((MISBEHAVE / f"{name}.json").read_text())["culprit"]
