import fcntl
import json
import signal
import subprocess
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import dpkt
import pytest
from typer.testing import CliRunner

from kafkasniff.calls.items import Item
from kafkasniff.cli.app import command_line
from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.reading import Reading
from tests.cli.conftest import COMMAND, Run
from tests.conftest import CAPTURES
from tests.robustness.bounds import ACK, PSH, handshake, packet, write_capture


def test_findings_as_json(run: Run) -> None:
    done = run("diagnose", "sasl-plain-java.pcap", "--json")
    items = [json.loads(line) for line in done.stdout.splitlines()]
    assert {item["type"] for item in items} == {"finding"}
    assert {item["rule"] for item in items} == {"cleartext-credentials"}
    (item,) = items
    assert {"plain-cl-admin", "plain-cl-c1"} <= set(item["subject"]["clientId"])
    assert done.returncode == 0


def test_findings_as_text(run: Run) -> None:
    done = run("diagnose", "sasl-plain-java.pcap")
    assert done.stdout.startswith("1 warning from 118 calls of 12 Kafka connections in 13.962 s\n")
    assert "WARNING cleartext-credentials" in done.stdout
    assert "1 finding: 1 warning" in done.stderr


def test_severity_and_brief(run: Run) -> None:
    none = run("diagnose", "sasl-plain-java.pcap", "--severity", "error", "--fail-on", "warning")
    assert (none.stdout, none.returncode) == ("", 3)
    assert "1 finding: 1 warning" in none.stderr
    brief = run("diagnose", "sasl-plain-java.pcap", "--brief").stdout.splitlines()
    assert brief[2].startswith("WARNING cleartext-credentials  plain-cl-admin, plain-cl-p-none, ")
    assert "'none' is none of error, warning, info" in run("diagnose", "x.pcap", "--severity", "none").stderr
    items = run("diagnose", "mid-stream-start.pcap", "--json", "--severity", "warning").stdout
    assert items == ""


def test_nothing_to_report(run: Run) -> None:
    done = run("diagnose", "kafka-python.pcap", "--ignore", "default-client-id", "--ignore", "acks-one")
    assert (done.stdout, done.returncode) == ("", 0)
    assert "nothing to report" in done.stderr


@pytest.mark.parametrize(
    ("name", "said", "closing"),
    [
        (
            "tls13-aes128-gcm.pcap",
            "8 of 8 connections are TLS (port 19973); --keylog FILE decrypts them: docs/tls.md",
            "nothing could be judged: 8 TLS connections",
        ),
        (
            "snaplen-96.pcap",
            "91 of 91 calls can be read in part only: 179 of 337 packets were cut as they were captured",
            "nothing to report of what could be read; not judged: 91 calls in part",
        ),
        ("http.pcap", "no Kafka in the 1 connection: 1 is HTTP (port 39092)", "nothing could be judged: 1 connection"),
        ("one-way.pcap", "19 of 19 Kafka connections the capture has one direction only", "; not judged: 19 one-way"),
    ],
)
def test_no_false_all_clear(run: Run, tmp_path: Path, name: str, said: str, closing: str) -> None:
    path = str(CAPTURES / name)
    if name == "http.pcap":
        path = str(tmp_path / name)
        get = packet(1, True, 1, 1, PSH | ACK, b"GET / HTTP/1.1\r\n\r\n")
        write_capture(Path(path), iter([*handshake(1), get]))
    elif name == "one-way.pcap":
        path = str(tmp_path / name)
        only_to_brokers(CAPTURES / "java-4.3.1-basic.pcap", Path(path))
    for command in ("read", "diagnose"):
        done = run(command, path)
        assert said in done.stderr
        assert "\nnothing to report\n" not in done.stderr
    assert closing in done.stderr
    if closing.startswith("nothing could"):
        assert (done.stdout, run("diagnose", path, "--fail-on", "error").returncode) == ("", 1)


def only_to_brokers(source: Path, path: Path) -> None:
    """Keep the packets to port 19110 and above, where the brokers of that capture listen."""
    with source.open("rb") as stream, path.open("wb") as target:
        reader = dpkt.pcap.Reader(stream)
        writer = dpkt.pcap.Writer(target, linktype=reader.datalink())
        for time, data in reader:
            if 19110 <= int.from_bytes(data[36:38], "big") < 19120:
                writer.writepkt(data, time)


@pytest.mark.parametrize(("severity", "status"), [("error", 0), ("warning", 3)])
def test_fail_on(severity: str, status: int, run: Run) -> None:
    assert run("diagnose", "sasl-plain-java.pcap", "--fail-on", severity).returncode == status


def test_one_rule_and_its_threshold(run: Run) -> None:
    rule = ("--rule", "cleartext-credentials")
    done = run("diagnose", "sasl-plain-java.pcap", *rule, "--set", "cleartext-credentials.calls=3", "--json")
    assert [json.loads(line)["count"] for line in done.stdout.splitlines()] == [12]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--rule", "nonsense"], "no rule has the id 'nonsense'"),
        (["--set", "commit-storm.calls=3"], "commit-storm has no threshold 'calls', only per_second"),
        (["--set", "commit-storm.per_second=many"], "is no number"),
        (["--fail-on", "info"], "'info' is none of error, warning"),
        (["--timeline", "topic=orders"], "is not one of group, client, transactional-id, connection, partition"),
        (["--timeline", "partition=orders"], "'partition=orders': expected TOPIC-NUMBER, such as orders-3"),
        (["--lag", "--explain", "1"], "name one of --timeline, --lag and --explain"),
        (["--explain", "99"], "expected a number up to that of findings, or a rule that found something"),
        (["--explain", "commit-storm"], "expected a number up to that of findings, or a rule that found something"),
    ],
)
def test_wrong_command_lines(arguments: list[str], sentence: str, run: Run) -> None:
    done = run("diagnose", "kafka-python.pcap", *arguments)
    assert done.returncode == 2
    assert sentence in " ".join(done.stderr.split())


def test_a_file_that_cannot_be_read(run: Run) -> None:
    done = run("diagnose", "missing.pcap")
    assert done.returncode == 1
    assert "missing.pcap" in done.stderr


def test_timeline(run: Run) -> None:
    done = run("diagnose", "java-4.3.1-basic.pcap", "--timeline", "client=nobody")
    assert (done.stdout, done.returncode) == ("", 0)


def test_a_finding_with_its_calls(run: Run) -> None:
    first = json.loads(run("diagnose", "rebalance-storm.pcap", "--json").stdout.splitlines()[0])
    numbers = [each["number"] for each in first["evidence"]]
    assert numbers
    assert all(numbers)
    for wanted in ("1", first["rule"]):
        lines = run("diagnose", "rebalance-storm.pcap", "--json", "--explain", wanted).stdout.splitlines()
        finding, *calls = map(json.loads, lines)
        assert finding["rule"] == first["rule"]
        assert [call["number"] for call in calls] == list(dict.fromkeys(numbers))
    text = run("diagnose", "rebalance-storm.pcap", "--explain", "1").stdout
    assert "groupId" in text
    assert f"call {numbers[0]}:" in " ".join(text.split())


def test_lag(run: Run) -> None:
    """Whoever reads all that there is stands at the end."""
    found = [json.loads(line) for line in run("diagnose", "librdkafka.pcap", "--lag", "--json").stdout.splitlines()]
    assert found
    for each in found:
        assert each["lag"] == each["end"] - each["position"] >= 0
    assert "known from" in run("diagnose", "librdkafka.pcap", "--lag").stdout


def test_explain(run: Run) -> None:
    assert len(run("explain").stdout.splitlines()) == len(RULES)
    assert "on the wire:" in run("explain", "acks-zero").stdout
    assert json.loads(run("explain", "acks-zero", "--json").stdout)["severity"] == "info"
    assert len(run("explain", "--json").stdout.splitlines()) == len(RULES)
    assert run("explain", "nonsense").returncode == 2


def test_interrupted_it_says_what_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Reading.batches

    def interrupted(reading: Reading) -> Iterator[list[Item]]:
        yield from whole(reading)
        raise KeyboardInterrupt

    monkeypatch.setattr(Reading, "batches", interrupted)
    done = CliRunner().invoke(command_line(), ["diagnose", str(CAPTURES / "sasl-plain-java.pcap"), "--json"])
    assert done.exit_code == 130
    assert '"rule":"cleartext-credentials"' in done.output


def test_evidence_of_a_storm_is_what_the_restless_member_did(run: Run) -> None:
    found = json.loads(run("diagnose", "rebalance-storm.pcap", "--json").stdout)
    member = found["subject"]["clientId"]
    assert [each["what"] for each in found["evidence"]] == [f"{member} joined anew", f"{member} left", f"{member} left"]


def test_control_c_judges_what_was_read(environment: dict[str, str]) -> None:
    content = (CAPTURES / "rebalance-storm.pcap").read_bytes()
    command = [*COMMAND, "diagnose", "-", "--json"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdin
        # What came before the last piece was dealt with when that was taken.
        for piece in (content[:-1_000], content[-1_000:]):
            process.stdin.write(piece)
            process.stdin.flush()
            while fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4)) != bytes(4):
                time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        shown, messages = process.communicate(timeout=60)
    assert process.returncode == 130
    assert [json.loads(line)["rule"] for line in shown.splitlines()] == ["rebalance-storm"]
    assert b" of 24 connections Kafka, " in messages
