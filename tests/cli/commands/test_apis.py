import json

import pytest

from tests.cli.conftest import Run


def test_the_list(run: Run) -> None:
    out = run("apis").stdout
    assert "  3  Metadata " in out
    assert len([line for line in out.splitlines() if line[:3].strip().isdigit()]) == 95
    assert [json.loads(line)["apiKey"] for line in run("apis", "--json").stdout.splitlines()] == list(range(95))


def test_versions(run: Run) -> None:
    assert run("apis", "fetch").stdout.startswith("Fetch (API key 1), versions 0-18\n")
    item = json.loads(run("apis", "1", "--json").stdout)
    assert item["versions"] == [0, 18]
    assert item["releases"]["4.0.1"] == {"versions": [4, 17], "highestStable": 17}


def test_layout(run: Run) -> None:
    assert "FetchRequest (flexible)" in run("apis", "fetch", "12").stdout
    item = json.loads(run("apis", "Fetch", "12", "--json").stdout)
    assert (item["apiKey"], item["apiVersion"]) == (1, 12)
    assert item["request"]["fields"][0]["name"] == "clusterId"
    assert item["request"]["fields"][0]["tag"] == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nonsense"], "no API has the name or key 'nonsense'"),
        (["fetch", "99"], "FETCH has no version '99', only 0 to 18"),
        (["fetch", "-1"], "-1"),
        (["fetch", "x"], "FETCH has no version 'x'"),
    ],
)
def test_usage_errors(run: Run, arguments: list[str], sentence: str) -> None:
    done = run("apis", *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
