"""`read --columns` and `--format`, held against the JSON lines of the same calls."""

import csv
import json
from io import StringIO

import pytest

from kafkasniff.render.tables.columns import ColumnLines
from tests.cli.conftest import Run
from tests.render.made_calls import heartbeat_call

PCAP = "java-4.3.1-basic.pcap"
COLUMNS = "number,client_id,api,version,latency,error,request.acks,topic"


def by_number(run: Run) -> dict[int, dict[str, object]]:
    return {line["number"]: line for line in map(json.loads, run("read", PCAP, "--json").stdout.splitlines())}


def test_csv_has_what_the_json_lines_have(run: Run) -> None:
    lines = by_number(run)
    rows = list(csv.DictReader(StringIO(run("read", PCAP, "--columns", COLUMNS, "--format", "csv").stdout)))
    assert len(rows) == len(lines) > 50
    for row in rows:
        line = lines[int(row["number"])]
        header = line["requestHeader"]
        assert row["client_id"] == (header["clientId"] or "")
        assert row["api"] == header["requestApiKeyName"]
        assert int(row["version"]) == header["requestApiVersion"]
        assert float(row["latency"]) == pytest.approx(line["totalTimeMs"])
        names = [error["name"] for error in line.get("errors", ())]
        assert row["error"] == ",".join(dict.fromkeys(names))
        assert row["request.acks"] == str((line["request"] or {}).get("acks", ""))
    assert any(row["error"] for row in rows)
    assert any(row["request.acks"] for row in rows)


@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_json_has_the_columns_alone(run: Run, form: str) -> None:
    lines = by_number(run)
    done = run("read", PCAP, "--columns", "number,time,error", "--format", form, "--time-of", "request", "--errors")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert rows
    for row in rows:
        assert [*row] == ["number", "time", "error"]
        assert row["time"] == lines[row["number"]]["time"]
        assert row["error"]


def test_without_names_usual_columns_are_shown(run: Run) -> None:
    first = run("read", PCAP, "--format", "tsv").stdout.splitlines()[0].split("\t")
    assert first[:6] == ["number", "time", "client", "server", "client_id", "api"]
    assert run("read", PCAP, "--format", "json").stdout == run("read", PCAP, "--json").stdout
    assert run("read", PCAP, "--format", "table").stdout == run("read", PCAP).stdout


def test_the_heading_stands_once_also_above_nothing_and_with_several_processes(run: Run) -> None:
    assert run("read", PCAP, "--columns", "api,topic", "--format", "csv", "--api", "77").stdout == "api,topic\n"
    assert run("read", PCAP, "--columns", "api", "--format", "csv", "--no-header").stdout.count("api") == 0
    arguments = ("read", PCAP, "--columns", "number,time,api", "--time", "delta")
    assert run(*arguments, "--jobs", "2").stdout == run(*arguments).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--columns", "api,cliend_id"], "no column is called 'cliend_id'; did you mean client_id"),
        (["--columns", "request.ack"], "no request has a field 'ack'; did you mean acks"),
        (["--columns", "request.topics"], "request.topics holds other fields"),
        (["--columns", ","], "expected the names of columns, found none"),
        (["--format", "cvs"], "'cvs' is none of table, csv, tsv, json, ndjson"),
        (["--format", "csv", "--json"], "'csv' and --json exclude each other"),
        (["--format", "csv", "-v"], "shows what has no column"),
        (["--time-of", "reqest"], "'reqest' is none of response, request; did you mean request?"),
    ],
)
def test_what_does_not_fit_is_said(run: Run, arguments: list[str], message: str) -> None:
    done = run("read", PCAP, *arguments)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())


def test_cells_are_safe_for_spreadsheets_and_terminals() -> None:
    call = heartbeat_call(group='=HYPERLINK("x")\x1b[2J\t1')
    line = ColumnLines(["group", "api"], "csv", "absolute", "response", None).line(call).decode()
    assert next(csv.reader([line])) == ['\'=HYPERLINK("x")\\x1b[2J\\x091', "HEARTBEAT"]
    tabs = ColumnLines(["group", "api"], "tsv", "absolute", "response", None).line(call).decode()
    assert tabs == '\'=HYPERLINK("x")\\x1b[2J\\x091\tHEARTBEAT\n'
