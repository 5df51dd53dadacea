"""Spans and findings of `read --otlp` and `live --otlp`, as OpenTelemetry's own Collector takes and prints them."""

import json
import os
import re
import signal
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.reading import read
from kafkasniff.tracing.export import Exporting
from tests.cli.conftest import Run
from tests.cli.running import Live, exchange
from tests.conftest import CAPTURES
from tests.networks import own_network

COLLECTOR = os.environ["KAFKASNIFF_OTELCOL"]
CONFIGURATION = """yaml:
receivers: {{otlp: {{protocols: {{http: {{endpoint: "127.0.0.1:{port}"}}}}}}}}
exporters: {{debug: {{verbosity: detailed, use_internal_logger: false}}}}
service:
  pipelines:
    traces: {{receivers: [otlp], exporters: [debug]}}
    logs: {{receivers: [otlp], exporters: [debug]}}
"""
CAPTURE = str(CAPTURES / "java-4.3.1-basic.pcap")


class Collector:
    """The Collector, which prints what it takes into a file."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self._printed = folder / "printed.txt"
        with self._printed.open("wb") as stream:
            self.process = subprocess.Popen(
                [COLLECTOR, "--config", CONFIGURATION.format(port=port)], stdout=stream, stderr=stream
            )
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except OSError:
                assert self.process.poll() is None, self._printed.read_text()
                time.sleep(0.05)
        raise AssertionError(self._printed.read_text())

    def printed(self) -> str:
        """End it, and give all that it printed."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(30) == 0
        return self._printed.read_text()


@pytest.fixture
def network() -> Iterator[None]:
    with own_network():
        yield


def test_the_collector_has_each_call(run: Run, tmp_path: Path) -> None:
    collector = Collector(tmp_path)
    done = run("read", CAPTURE, "--otlp", collector.url)
    assert (done.returncode, done.stdout) == (0, "")
    spans = re.split(r"^Span #\d+$", collector.printed(), flags=re.M)[1:]
    calls = [json.loads(line) for line in run("read", CAPTURE, "--json").stdout.splitlines()]
    calls = [call for call in calls if call["type"] == "call"]
    taken = Counter(
        (re.findall(r"-> messaging.operation.name: Str\((\w+)\)", span)[0],
         int(re.findall(r"-> kafka.correlation_id: Int\((\d+)\)", span)[0]),
         int(re.findall(r"-> client.port: Int\((\d+)\)", span)[0]),
         *re.findall(r"-> error.type: Str\((\w+)\)", span))
        for span in spans
    )  # fmt: skip
    assert taken == Counter(
        (call["requestHeader"]["requestApiKeyName"].lower(), call["requestHeader"]["correlationId"],
         int(call["client"].rpartition(":")[2]),
         *([call["errors"][0]["name"]] if "errors" in call else ["unanswered"] * (call["outcome"] == "unanswered")))
        for call in calls
    )  # fmt: skip


@pytest.mark.usefixtures("network")
def test_the_collector_has_what_live_sees(environment: dict[str, str], tmp_path: Path) -> None:
    collector = Collector(tmp_path)
    live = Live(environment, "lo", "--otlp", collector.url)
    for _ in range(3):
        exchange(answer=True).close()
    assert live.end() == 0
    printed = collector.printed()
    assert printed.count("-> messaging.operation.name: Str(api_versions)") == 3
    assert re.findall(r"^ +Name +: (\S+)$", printed, re.M) == ["api_versions"] * 3


def test_the_collector_has_findings(tmp_path: Path) -> None:
    diagnosis = Diagnosis()
    for item in read(str(CAPTURES / "rebalance-storm.pcap"), connections=True):
        diagnosis.feed(item)
    collector = Collector(tmp_path)
    exporting = Exporting(collector.url, waits=False)
    for finding in diagnosis.findings():
        exporting.finding(finding)
    assert exporting.close() is None
    printed = collector.printed()
    assert "-> kafkasniff.rule: Str(rebalance-storm)" in printed
    assert printed.count("LogRecord #") == len(diagnosis.findings())
