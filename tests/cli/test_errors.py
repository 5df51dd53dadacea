import json

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
    assert list(item) == ["code", "name", "retriable", "meaning"]
    assert item["name"] == "MEMBER_ID_REQUIRED"
    codes = [json.loads(line)["code"] for line in run("errors", "--json").stdout.splitlines()]
    assert codes == list(range(-1, 137))


def test_an_unknown_code_is_a_usage_error(run: Run) -> None:
    done = run("errors", "999")
    assert done.returncode == 2
    assert "no error has the code or name '999'" in done.stderr
