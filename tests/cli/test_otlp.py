"""Spans of `read --otlp` and `live --otlp`, as a collector takes them: OpenTelemetry's own messages over HTTP."""

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.reading import read
from tests.cli.conftest import Run
from tests.cli.running import Live, exchange
from tests.conftest import CAPTURES
from tests.networks import own_network

pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="the extra `otel` is not installed")
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from kafkasniff.tracing.export import Exporting

CAPTURE = str(CAPTURES / "java-4.3.1-basic.pcap")
LIBRDKAFKA = str(CAPTURES / "librdkafka.pcap")
KINDS = {3: "client", 4: "producer", 5: "consumer"}


class Collector(ThreadingHTTPServer):
    """Takes what is sent, and answers with `status`."""

    def __init__(self, status: int = 200) -> None:
        self.spans: list[Any] = []
        self.records: list[Any] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path == "/v1/traces":
                    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                        collector.spans += [span for scope in resource.scope_spans for span in scope.spans]
                elif self.path == "/v1/logs":
                    for of in ExportLogsServiceRequest.FromString(body).resource_logs:
                        collector.records += [record for scope in of.scope_logs for record in scope.log_records]
                self.send_response(status)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


@pytest.fixture
def collector() -> Iterator[Collector]:
    server = Collector()
    yield server
    server.shutdown()
    server.server_close()


def attributes(span: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}


def test_each_call_is_a_span(run: Run, collector: Collector) -> None:
    done = run("read", CAPTURE, "--otlp", collector.url)
    assert (done.returncode, done.stdout) == (0, "")
    calls = [json.loads(line) for line in run("read", CAPTURE, "--json").stdout.splitlines()]
    calls = [call for call in calls if call["type"] == "call"]
    assert len(collector.spans) == len(calls) > 100
    assert len({span.trace_id for span in collector.spans}) == len(calls)
    spans = Counter(
        (told["messaging.operation.name"].upper(), told["kafka.correlation_id"], told["client.port"],
         round((span.end_time_unix_nano - span.start_time_unix_nano) / 1e6, 6), told.get("error.type"))
        for span in collector.spans for told in [attributes(span)]
    )  # fmt: skip
    expected = Counter(
        (call["requestHeader"]["requestApiKeyName"], call["requestHeader"]["correlationId"],
         int(call["client"].rpartition(":")[2]), round(call.get("totalTimeMs", 0), 6),
         call["errors"][0]["name"] if "errors" in call else None)
        for call in calls if call["outcome"] == "answered"
    )  # fmt: skip
    assert expected - spans == Counter()
    for span in collector.spans:
        told = attributes(span)
        assert told["messaging.system"] == "kafka"
        assert span.status.code == (2 if "error.type" in told else 0)


def test_produce_and_fetch_follow_the_conventions(run: Run, collector: Collector) -> None:
    run("read", LIBRDKAFKA, "--otlp", collector.url, "--api", "produce,fetch")
    calls = map(json.loads, run("read", LIBRDKAFKA, "--api", "produce", "--json").stdout.splitlines())
    call, topic = next(
        (call, topic)
        for call in calls
        for topic in call["request"]["topicData"]
        if len(call["request"]["topicData"]) == len(topic["partitionData"]) == 1
    )
    name = topic.get("name") or call["topics"][topic["topicId"]]
    first, told = next(
        (span, told)
        for span in collector.spans
        for told in [attributes(span)]
        if (told["messaging.operation.name"], told["kafka.correlation_id"], told["client.port"])
        == ("produce", call["requestHeader"]["correlationId"], int(call["client"].rpartition(":")[2]))
    )
    assert first.name == f"send {name}"
    assert KINDS[first.kind] == "producer"
    assert told["messaging.destination.name"] == name
    assert told["messaging.destination.partition.id"] == str(topic["partitionData"][0]["index"])
    assert told["messaging.operation.type"] == "send"
    assert told["messaging.client.id"] == call["requestHeader"]["clientId"]
    assert told["server.address"] == call["server"].rpartition(":")[0]
    kinds = {KINDS[span.kind] for span in collector.spans if attributes(span)["messaging.operation.name"] == "fetch"}
    assert kinds == {"consumer"}


def test_lines_are_printed_beside_spans_with_json_only(run: Run, collector: Collector) -> None:
    done = run("read", CAPTURE, "--otlp", f"{collector.url}/v1/traces", "--json", "--limit", "7")
    assert len(done.stdout.splitlines()) == len(collector.spans) == 7


def test_what_is_not_taken_is_said(run: Run) -> None:
    server = Collector(400)
    done = run("read", CAPTURE, "--otlp", server.url, "--limit", "7")
    server.shutdown()
    server.server_close()
    assert f"kafkasniff: --otlp: 7 of 7 spans were not taken by {server.url}" in done.stderr.splitlines()
    assert run("read", CAPTURE, "--otlp", "localhost:4318").returncode == 2


def test_a_lacking_library_is_named(environment: dict[str, str]) -> None:
    code = "import sys; sys.modules['opentelemetry.sdk'] = None\nfrom kafkasniff.cli.main import main; main()"
    command = [sys.executable, "-c", code, "read", CAPTURE, "--otlp", "http://localhost:4318"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.stderr == (
        "kafkasniff: --otlp needs opentelemetry-sdk and its exporter: pip install 'kafkasniff[otel]'\n"
    )


def test_live_sends_spans(environment: dict[str, str]) -> None:
    with own_network():
        collector = Collector()
        live = Live(environment, "lo", "--otlp", collector.url)
        for _ in range(3):
            exchange(answer=True).close()
        deadline = time.monotonic() + 20
        while not collector.spans and time.monotonic() < deadline:
            time.sleep(0.05)
        assert live.end() == 0
        assert live.lines == []
        assert [span.name for span in collector.spans] == ["api_versions"] * 3
        collector.shutdown()
        collector.server_close()


def test_findings_are_log_records(collector: Collector) -> None:
    diagnosis = Diagnosis()
    for item in read(str(CAPTURES / "rebalance-storm.pcap"), connections=True):
        diagnosis.feed(item)
    findings = diagnosis.findings()
    exporting = Exporting(collector.url, waits=False)
    for finding in findings:
        exporting.finding(finding)
    assert exporting.close() is None
    sent = {(attributes(record)["kafkasniff.rule"], record.body.string_value) for record in collector.records}
    assert sent == {(finding.rule, finding.summary) for finding in findings}
    assert "rebalance-storm" in {finding.rule for finding in findings}
    assert {record.event_name for record in collector.records} == {"kafkasniff.finding"}
