"""`kafkasniff show`: single calls, by number, packet and correlation id."""

import json
import re

import pytest

from tests.cli.conftest import Run

PCAP = "java-4.3.1-basic.pcap"


def test_a_call_is_shown_whole_with_its_packets(run: Run) -> None:
    listed = run("read", PCAP).stdout.splitlines()
    done = run("show", PCAP, "7")
    lines = done.stdout.splitlines()
    assert lines[0] == listed[6]
    assert "    000000  00 16                           requestApiKey = 22" in lines
    # Wireshark names packets 30 and 34 for this exchange (frame.number).
    assert lines[-1] == f"  packets of {PCAP}: 30, 34"
    assert done.returncode == 0


def test_calls_by_an_expression(run: Run) -> None:
    lines = [json.loads(line) for line in run("read", PCAP, "--json").stdout.splitlines()]
    numbers = [line["number"] for line in lines if "errors" in line]
    shown = run("show", PCAP, "--where", "error", "--json").stdout.splitlines()
    assert [json.loads(line)["number"] for line in shown] == numbers
    done = run("show", PCAP, "--where", "topic == nothing")
    assert "0 of 108 calls match; topics seen: " in done.stderr
    assert run("show", PCAP, "--where", "topik").returncode == 2


def test_context_is_of_the_same_connection(run: Run) -> None:
    listed = run("read", PCAP).stdout.splitlines()
    client = listed[29].split()[2]
    same = [line for line in listed if line.split()[2] == client]
    place = same.index(listed[29])
    shown = run("show", PCAP, "30", "--context", "2").stdout.splitlines()
    calls = [line for line in shown if re.match(r" *\d+ \d\d:\d\d:\d\d\.\d{6} ", line)]
    assert calls == same[max(place - 2, 0) : place + 3]


def test_packets_and_correlation_ids_find_calls(run: Run) -> None:
    lines = [json.loads(line) for line in run("read", PCAP, "--json").stdout.splitlines()]
    chosen = [json.loads(line) for line in run("show", PCAP, "--packet", "34", "--json").stdout.splitlines()]
    assert chosen == [line for line in lines if line["responsePacket"] == 34]
    chosen = [json.loads(line) for line in run("show", PCAP, "--correlation-id", "5", "--json").stdout.splitlines()]
    assert chosen == [line for line in lines if line["requestHeader"]["correlationId"] == 5]


def test_ranges_give_several(run: Run) -> None:
    chosen = [json.loads(line) for line in run("show", PCAP, "3-5", "9", "--json").stdout.splitlines()]
    assert [line["number"] for line in chosen] == [3, 4, 5, 9]


def test_findings_that_cite_a_call_stand_with_it(run: Run) -> None:
    findings = run("diagnose", "pipelined-acks0.pcap", "--json").stdout.splitlines()
    finding = next(each for each in map(json.loads, findings) if each["rule"] == "acks-zero")
    first = finding["evidence"][0]
    said = f"  finding {finding['rule']} ({finding['severity']}): "
    assert said in run("show", "pipelined-acks0.pcap", str(first["number"]), "--findings").stdout
    shown = json.loads(run("show", "pipelined-acks0.pcap", "--packet", str(first["packet"]), "--json").stdout)
    assert shown["number"] == first["number"]
    assert shown["requestPacket"] == first["packet"]
    # A packet carries several calls: of these one is cited.
    cited = {each["number"] for each in finding["evidence"]}
    other = next(number for number in range(first["number"], 108) if number not in cited)
    assert said not in run("show", "pipelined-acks0.pcap", str(other), "--findings").stdout
    assert said not in run("show", "pipelined-acks0.pcap", str(first["number"])).stdout


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["999"], 1, "no call 999: there are 108 calls"),
        (["--packet", "9999"], 1, "0 of 108 calls match"),
        (["7", "--findings", "--json"], 2, "JSON has calls alone"),
        ([], 2, "say which: a number, --packet, --correlation-id or --where"),
    ],
)
def test_what_is_not_there_is_said(run: Run, arguments: list[str], status: int, said: str) -> None:
    done = run("show", PCAP, *arguments)
    assert done.returncode == status
    assert said in " ".join(done.stderr.split())


def test_a_capture_must_be_named(run: Run) -> None:
    done = run("show", "7")
    assert done.returncode == 2
    assert "name a capture before the numbers" in " ".join(done.stderr.split())
