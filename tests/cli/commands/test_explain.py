import json

import pytest

from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("rebalance", ["rebalance-storm", "rebalance-stuck", "commit-after-rebalance"]),
        ("churn", ["fetch-session-churn", "connection-churn"]),
        ("NOT_LEADER_FOR_PARTITION", ["not-leader-loop", "load-balancer-in-front"]),
    ],
)
def test_part_of_an_id_and_an_error_lead_to_rules(run: Run, text: str, rules: list[str]) -> None:
    assert json.loads(run("explain", text, "--json").stdout)["rules"] == rules
    shown = run("explain", text).stdout
    assert [line.split()[0] for line in shown.partition("Rules about it:\n")[2].splitlines()] == rules


def test_what_is_neither_rule_nor_error(run: Run) -> None:
    done = run("explain", "nosuchthing")
    assert done.returncode == 2
    assert "no rule has the id 'nosuchthing', and no error this name" in done.stderr
