import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.running import Live, exchange, wait_for_lines
from tests.networks import own_network

COMMITS = 200
PARTITIONS = 4
"""What topics of librdkafka's mock cluster have."""
CLIENT = f"""
from confluent_kafka import Consumer, Producer
producer = Producer({{"test.mock.num.brokers": "1", "linger.ms": "0", "client.id": "mock-producer"}})
brokers = ",".join(f"{{each.host}}:{{each.port}}" for each in producer.list_topics(timeout=10).brokers.values())
for number in range({COMMITS}):
    producer.produce("orders", b"value")
producer.flush()
consumer = Consumer({{"bootstrap.servers": brokers, "group.id": "billing", "client.id": "busy-committer",
                     "auto.offset.reset": "earliest", "enable.auto.commit": False}})
consumer.subscribe(["orders"])
committed = 0
while committed < {COMMITS}:
    message = consumer.poll(1)
    if message is not None and not message.error():
        consumer.commit(message, asynchronous=False)
        committed += 1
consumer.close()
"""
"""A real client that commits after each record, against the mock cluster inside librdkafka."""
CHURN = 25
ONLY = ("--diagnose", "--rule", "connection-churn")


@pytest.fixture(autouse=True)
def network() -> Iterator[None]:
    with own_network():
        yield


def run_client() -> None:
    pytest.importorskip("confluent_kafka")
    subprocess.run([sys.executable, "-c", CLIENT], check=True, timeout=60, stderr=subprocess.DEVNULL)


def findings(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_findings_come_while_listening_and_all_of_them_at_the_end(
    run: Run, environment: dict[str, str], tmp_path: Path
) -> None:
    written = tmp_path / "live.pcapng"
    live = Live(environment, "lo", "--json", "--diagnose", "--write", str(written))
    run_client()
    wait_for_lines(live, 1)
    early = [item for item in live.items if item.get("soFar")]
    assert live.end() == 0
    in_time = [item for item in live.items if item.get("soFar")]
    at_the_end = live.items[len(in_time) :]
    assert early
    names = [(item["rule"], json.dumps(item["subject"])) for item in in_time]
    assert len(names) == len(set(names))
    assert at_the_end == findings(run("diagnose", str(written), "--json").stdout)
    (storm,) = [item for item in at_the_end if item["rule"] == "commit-storm"]
    assert storm["subject"]["clientId"] == "busy-committer"
    assert storm["subject"]["group"] == "billing"
    # The first commit of each partition repeats none.
    assert COMMITS - PARTITIONS <= storm["count"] < COMMITS


def connect_again_and_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        for _ in range(CHURN):
            exchange(True, listener).close()


def test_text(environment: dict[str, str]) -> None:
    live = Live(environment, "lo", *ONLY)
    connect_again_and_again()
    wait_for_lines(live, 1)
    assert live.end(signal.SIGINT) == 130
    headings = [line for _, line in live.lines if line.startswith(b"WARNING connection-churn  clientId=quiet-one")]
    assert len(headings) == 2
    assert live.messages.splitlines()[1] == "the findings at the end:"
    assert live.messages.endswith("\n1 finding: 1 warning\n")


@pytest.mark.parametrize(("severity", "status"), [("error", 0), ("warning", 3)])
def test_fail_on(environment: dict[str, str], severity: str, status: int) -> None:
    live = Live(environment, "lo", "--json", *ONLY, "--fail-on", severity)
    connect_again_and_again()
    assert live.end() == status
    assert {item["rule"] for item in live.items} == {"connection-churn"}
    assert live.items[-1]["count"] == CHURN


def test_nothing_to_report(environment: dict[str, str]) -> None:
    live = Live(environment, "lo", *ONLY, "--set", f"connection-churn.connections={CHURN + 1}", "--fail-on", "warning")
    connect_again_and_again()
    assert live.end() == 0
    assert live.lines == []
    assert "the findings at the end:" not in live.messages
    assert live.messages.endswith("\nnothing to report\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--rule", "commit-storm"], "for --rule: it is about findings, which only --diagnose shows."),
        (["--fail-on", "error"], "for --fail-on: it is about findings"),
        (["--diagnose", "--limit", "5"], "for --limit: it shapes calls, and --diagnose shows findings"),
        (["--diagnose", "-v"], "for --verbose: it shapes calls"),
        (["--diagnose", "--fail-on", "info"], "'info' is none of error, warning"),
        (["--diagnose", "--rule", "nonsense"], "no rule has the id 'nonsense'"),
    ],
)
def test_wrong_command_lines(arguments: list[str], sentence: str, run: Run) -> None:
    done = run("live", "lo", *arguments)
    assert done.returncode == 2
    assert sentence in " ".join(done.stderr.split())
