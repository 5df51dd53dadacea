import json

import pytest

from tests.cli.conftest import Run


def test_one_code(run: Run) -> None:
    done = run("errors", "6")
    assert done.returncode == 0
    assert done.stdout.startswith("6  NOT_LEADER_OR_FOLLOWER  (retriable)\nThe broker is not the partition's leader")
    assert run("errors", "not_leader_or_follower").stdout == done.stdout


def test_a_negative_code(run: Run) -> None:
    assert run("errors", "-1").stdout.startswith("-1  UNKNOWN_SERVER_ERROR  (not retriable)\n")


def test_all_codes(run: Run) -> None:
    assert len(run("errors").stdout.splitlines()) == 139


def test_json(run: Run) -> None:
    item = json.loads(run("errors", "79", "--json").stdout)
    assert list(item) == ["code", "name", "retriable", "meaning", "fix", "normal"]
    assert item["name"] == "MEMBER_ID_REQUIRED"
    codes = [json.loads(line)["code"] for line in run("errors", "--json").stdout.splitlines()]
    assert codes == list(range(-1, 137))


def test_an_unknown_code_is_a_usage_error(run: Run) -> None:
    done = run("errors", "999")
    assert done.returncode == 2
    assert "no error has the code or name '999'" in done.stderr


@pytest.mark.parametrize("text", ["6", "NOT_LEADER", "NotLeaderForPartitionException"])
def test_explain_leads_from_an_error_to_the_rules_about_it(run: Run, text: str) -> None:
    done = run("explain", text)
    assert done.stdout.startswith("6  NOT_LEADER_OR_FOLLOWER  (retriable)\n")
    assert "\nRules about it:\n  not-leader-loop " in done.stdout
    assert "not-leader-loop" in json.loads(run("explain", text, "--json").stdout)["rules"]


def test_near_names(run: Run) -> None:
    assert "did you mean NOT_LEADER_" in run("errors", "NOT_LEEDER").stderr
    assert "did you mean rebalance-storm" in run("explain", "rebalance-strm").stderr
    assert "did you mean Fetch" in run("apis", "fech").stderr
    assert "did you mean commit-storm" in run("diagnose", "x.pcap", "--rule", "comit-storm").stderr
    assert "'1500' has no unit: 1500s or 1500ms?" in run("live", "lo", "--duration", "1500").stderr
