"""Metrics of real traffic, scraped by a real Prometheus, against what `stats` says of the same packets."""

import fcntl
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import COMMAND, Run
from tests.cli.running import ANSWER, REQUEST, Live, exchange, request_of, run_client, wait_for_lines
from tests.conftest import open_terminal
from tests.networks import ip, needs, own_network

pytest.importorskip("prometheus_client", reason="the extra `metrics` is not installed")

HOSTILE = {
    b"<script>alert(1)</script>": "<script>alert(1)</script>",
    b"\"quoted\" 'and' back\\slash": "\"quoted\" 'and' back\\slash",
    b"c" * 10_000: "c" * 127 + "…",
    b"\x1b[2Jclear\n# TYPE x counter": "\\x1b[2Jclear\\x0a# TYPE x counter",
    "right\u202eleft".encode(): "right\\u202eleft",
    "\U0001f600 emoji".encode(): "\U0001f600 emoji",
}
"""Client ids, and how they are to be shown."""
CONFIGURATION = """
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs: [{{job_name: kafkasniff, static_configs: [{{targets: ["127.0.0.1:{port}"]}}]}}]
"""


@pytest.fixture(autouse=True)
def network() -> Iterator[None]:
    with own_network():
        yield


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def call_as(client_id: bytes) -> None:
    """A call of a usual client, which makes plain that this is Kafka, and one of another on the same connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()) as client:
        server, _ = listener.accept()
        with server:
            for request in (REQUEST, request_of(client_id)):
                client.sendall(request)
                got = b""
                while got != request:
                    got += server.recv(1 << 16)
                server.sendall(ANSWER)
                assert client.recv(100) == ANSWER


def asked(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


class Prometheus:
    """The server itself, which scrapes one target."""

    def __init__(self, folder: Path, port: int, *options: str) -> None:
        configuration = folder / "prometheus.yml"
        configuration.write_text(CONFIGURATION.format(port=port))
        self.url = f"http://127.0.0.1:{free_port()}"
        self._log = (folder / "prometheus.log").open("wb")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={configuration}", f"--storage.tsdb.path={folder / 'data'}",
             f"--web.listen-address={self.url.removeprefix('http://')}", *options],
            stdout=self._log, stderr=self._log,
        )  # fmt: skip

    def result(self, query: str) -> list[dict[str, Any]]:
        _, text = asked(f"{self.url}/api/v1/query?query={urllib.parse.quote(query)}")
        found: list[dict[str, Any]] = json.loads(text)["data"]["result"]
        return found

    def values(self, name: str, *labels: str) -> dict[tuple[str, ...], float]:
        """The latest values of a metric by its labels, without those that are 0."""
        found = {
            tuple(each["metric"].get(label, "") for label in labels): float(each["value"][1])
            for each in self.result(name)
        }
        return {key: value for key, value in found.items() if value}

    def wait_for(self, query: str) -> None:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                if self.result(query):
                    return
            except (OSError, KeyError):
                pass
            time.sleep(0.1)
        raise AssertionError(query)

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(30)
        self._log.close()


@needs("prometheus", "promtool")
def test_prometheus_has_what_stats_says_of_the_same_packets(
    run: Run, environment: dict[str, str], tmp_path: Path
) -> None:
    written, port = tmp_path / "live.pcapng", free_port()
    # Prometheus asks by HTTP on the same interface, which is no Kafka.
    live = Live(environment, "lo", "--metrics", f"127.0.0.1:{port}", "--write", str(written))
    prometheus = Prometheus(tmp_path, port)
    run_client(2_000)
    for client_id in HOSTILE:
        call_as(client_id)
    try:
        prometheus.wait_for('kafkasniff_group_calls_total{group="billing"}')
        prometheus.wait_for('kafkasniff_client_calls_total{client_id=~".*emoji"}')
        time.sleep(1.2)
        assert asked(f"http://127.0.0.1:{port}/readyz") == (200, "ok\n")
        assert asked(f"http://127.0.0.1:{port}/healthz") == (200, "ok\n")
        assert asked(f"http://127.0.0.1:{port}/")[0] == 404
        text = asked(f"http://127.0.0.1:{port}/metrics")[1]
        subprocess.run(["promtool", "check", "metrics"], input=text.encode(), check=True, capture_output=True)
        scraped = {
            name: (
                prometheus.values(f"kafkasniff_{name}_total", "api", "broker"),
                prometheus.values(f"kafkasniff_client_{name}_total", "client_id"),
                prometheus.values(f"kafkasniff_topic_{name}_total", "topic"),
                prometheus.values(f"kafkasniff_group_{name}_total", "group"),
            )
            for name in ("calls", "failed_calls", "unanswered_calls", "request_bytes", "response_bytes")
        }
        errors = prometheus.values("kafkasniff_errors_total", "error", "api")
        answered = prometheus.values("kafkasniff_latency_seconds_count", "api", "broker")
        sums = prometheus.values("kafkasniff_latency_seconds_sum", "api", "broker")
        medians = prometheus.values(
            "histogram_quantile(0.5, sum by (le, api) (kafkasniff_latency_seconds_bucket))", "api"
        )
        in_flight = prometheus.result("kafkasniff_in_flight")
    finally:
        prometheus.end()
    assert live.end() == 0
    assert live.lines == []
    assert sum(scraped["calls"][0].values()) > 150
    assert {name for (name,) in scraped["calls"][1]} == {
        *HOSTILE.values(),
        "mock-producer",
        "mock-consumer",
        "quiet-one",
    }
    columns = {"failed_calls": "failed", "unanswered_calls": "unanswered"}
    for at, by in enumerate((("api_name", "server"), ("client_id",), ("topic",), ("group",))):
        done = run("stats", str(written), "--by", ",".join(by), "--json")
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        for name, found in scraped.items():
            measure = columns.get(name, name)
            expected = {
                tuple(HOSTILE.get(row[key].encode(), row[key]) for key in by): float(row[measure])
                for row in rows
                if all(row[key] is not None for key in by) and row[measure]
            }
            assert found[at] == expected, (by, name)
    by_error = [
        json.loads(line) for line in run("stats", str(written), "--by", "error,api_name", "--json").stdout.splitlines()
    ]
    assert errors == {(row["error"], row["api_name"]): row["calls"] for row in by_error if row["error"] is not None}
    query = (
        "SELECT api_name, server, count(*) AS n, sum(total_time_ms) AS ms FROM calls WHERE outcome = 'answered'"
        " GROUP BY ALL"
    )
    for line in run("sql", str(written), query, "--format", "json").stdout.splitlines():
        row = json.loads(line)
        assert answered[row["api_name"], row["server"]] == row["n"]
        assert sums[row["api_name"], row["server"]] == pytest.approx(row["ms"] / 1000)
    # A second by the group's coordinator: far above the smallest bucket.
    assert 1 < medians["JOIN_GROUP",] < 8
    assert [each["value"][1] for each in in_flight] == ["0"]


@needs("prometheus")
def test_prometheus_takes_native_histograms(run: Run, environment: dict[str, str], tmp_path: Path) -> None:
    written, port = tmp_path / "live.pcapng", free_port()
    live = Live(environment, "lo", "--metrics", f"127.0.0.1:{port}", "--write", str(written))
    prometheus = Prometheus(tmp_path, port, "--enable-feature=native-histograms")
    run_client(2_000)
    call_as(b"last one")
    try:
        prometheus.wait_for('kafkasniff_client_calls_total{client_id="last one"}')
        time.sleep(1.2)
        counts = prometheus.values("histogram_count(kafkasniff_latency_seconds)", "api", "broker")
        sums = prometheus.values("histogram_sum(kafkasniff_latency_seconds)", "api", "broker")
        medians = prometheus.values("histogram_quantile(0.5, sum by (api) (kafkasniff_latency_seconds))", "api")
        calls = prometheus.values("kafkasniff_calls_total", "api", "broker")
    finally:
        prometheus.end()
    assert live.end() == 0
    query = (
        "SELECT api_name, server, count(*) AS n, count(total_time_ms) AS answered, sum(total_time_ms) AS ms"
        " FROM calls GROUP BY ALL"
    )
    for line in run("sql", str(written), query, "--format", "json").stdout.splitlines():
        row = json.loads(line)
        key = row["api_name"], row["server"]
        assert calls[key] == row["n"]
        assert counts[key] == row["answered"]
        assert sums[key] == pytest.approx(row["ms"] / 1000)
    query = "SELECT api_name, total_time_ms AS ms FROM calls WHERE total_time_ms IS NOT NULL"
    listed = run("sql", str(written), query, "--format", "json")
    rows = [json.loads(line) for line in listed.stdout.splitlines()]
    assert medians.keys() == {(row["api_name"],) for row in rows}
    for (api,), median in medians.items():
        times = sorted(row["ms"] / 1000 for row in rows if row["api_name"] == api)
        # Whose bucket it is among those that Prometheus may take for the middle: they end at powers of 2^(1/8).
        lowest, highest = times[(len(times) - 1) // 2], times[len(times) // 2]
        assert lowest / 2**0.125 <= median <= highest * 2**0.125, api


def test_every_gives_intervals_as_lines(run: Run, environment: dict[str, str], tmp_path: Path) -> None:
    written = tmp_path / "live.pcapng"
    live = Live(environment, "lo", "--every", "300ms", "--json", "--write", str(written))
    exchange(answer=False).close()
    for client_id in HOSTILE:
        call_as(client_id)
        time.sleep(0.1)
    wait_for_lines(live, 8)
    assert live.end() == 0
    intervals = [item for item in live.items if item["type"] == "interval"]
    assert len(intervals) >= 2
    [stats] = map(json.loads, run("stats", str(written), "--by", "api_name", "--json").stdout.splitlines())
    by_api = [item for item in live.items if item["type"] == "totals" and "api_name" in item]
    for name in ("calls", "failed", "unanswered", "request_bytes", "response_bytes", "throttled"):
        assert sum(item[name] for item in intervals) == sum(item[name] for item in by_api) == stats[name]
    clients = {item["client_id"]: item["calls"] for item in live.items if "client_id" in item}
    assert clients.keys() == {*HOSTILE.values(), "quiet-one"}
    assert sum(item["connections"] for item in intervals) == len(HOSTILE) + 1
    assert b"\x1b" not in b"".join(line for _, line in live.lines)


def test_calls_are_shown_beside_metrics_with_json_only(environment: dict[str, str]) -> None:
    port = free_port()
    live = Live(environment, "lo", "--metrics", f"localhost:{port}", "--json", "--port", "9092")
    with socket.create_server(("127.0.0.1", 9092)) as listener:
        exchange(True, listener).close()
    exchange(answer=True).close()
    wait_for_lines(live, 1)
    text = asked(f"http://localhost:{port}/metrics")[1]
    assert 'kafkasniff_calls_total{api="API_VERSIONS",broker="127.0.0.1:9092"} 1.0' in text
    assert text.count("\nkafkasniff_calls_total{") == 1
    assert live.end() == 0
    assert [item["server"] for item in live.items] == ["127.0.0.1:9092"]


def test_a_lost_interface_is_not_ready(environment: dict[str, str]) -> None:
    ip("link", "add", "near0", "type", "veth", "peer", "name", "far0")
    ip("link", "set", "near0", "up")
    port = free_port()
    live = Live(environment, "lo", "near0", "--metrics", f"127.0.0.1:{port}")
    assert asked(f"http://127.0.0.1:{port}/readyz")[0] == 200
    ip("link", "set", "near0", "down")
    deadline = time.monotonic() + 10
    while (answer := asked(f"http://127.0.0.1:{port}/readyz"))[0] == 200 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert answer == (503, "near0: the interface went down or was removed; start again when it is up\n")
    assert live.end() == 1


def test_what_is_wrong_is_said_in_a_sentence(run: Run, environment: dict[str, str]) -> None:
    assert "expected HOST:PORT such as localhost:9308, found 'x'" in " ".join(
        run("live", "lo", "--metrics", "x").stderr.split()
    )
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        done = run("live", "lo", "--metrics", address)
        assert (done.returncode, done.stderr) == (
            1, f"kafkasniff: --metrics {address}: cannot be served: Address already in use\n",
        )  # fmt: skip
    assert run("live", "lo", "--every", "10s", "-v").returncode == 2
    lacking = [sys.executable, "-c", "import sys; sys.modules['prometheus_client'] = None\n"
               "from kafkasniff.cli.main import main; main()"]  # fmt: skip
    done = subprocess.run(
        [*lacking, "live", "lo", "--metrics", ":9308"], capture_output=True, text=True, env=environment, check=False
    )
    assert done.stderr == "kafkasniff: --metrics needs prometheus_client: pip install 'kafkasniff[metrics]'\n"


class Terminal:
    """A command on a terminal of 130 by 30, and all that it has shown."""

    def __init__(self, environment: dict[str, str], *arguments: str) -> None:
        ours, theirs = open_terminal()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 130, 0, 0))
        self.process = subprocess.Popen(
            [*COMMAND, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment, close_fds=True
        )
        os.close(theirs)
        self.shown = b""
        self._thread = threading.Thread(target=self._read, args=(ours,))
        self._thread.start()

    def _read(self, descriptor: int) -> None:
        try:
            while piece := os.read(descriptor, 65536):
                self.shown += piece
        except OSError:  # the other end was closed
            os.close(descriptor)

    def wait_for(self, text: str) -> None:
        deadline = time.monotonic() + 20
        while text.encode() not in self.shown:
            assert time.monotonic() < deadline, text
            time.sleep(0.02)

    def end(self) -> tuple[str, int]:
        self.process.send_signal(signal.SIGTERM)
        self._thread.join()
        return self.shown.decode(), self.process.wait(30)


def test_top_draws_a_screen_and_gives_the_terminal_back(environment: dict[str, str]) -> None:
    terminal = Terminal(environment, "live", "lo", "--top", "--every", "200ms", "--diagnose")
    terminal.wait_for("\x1b[?1049h")
    for client_id in HOSTILE:
        call_as(client_id)
    shown_as = ("<script>alert(1)</script>", "\\x1b[2J", "right\\u202e", "\U0001f600 emoji")
    for name in shown_as:
        terminal.wait_for(name)
    text, status = terminal.end()
    assert status == 0
    before, _, rest = text.partition("\x1b[?1049h")
    shown, _, after = rest.partition("\x1b[?1049l")
    assert before.startswith("listening on lo")
    assert "packets," in after
    last = shown.rsplit("\x1b[H", 1)[1]
    assert last.count("\n") < 30
    # Nothing from the wire moves the cursor; what is drawn are colours and ends of lines.
    assert not re.search(r"\x1b\[(?![KJ]|\d+(;\d+)*m|\?25h)", last)


def test_top_needs_a_terminal(run: Run) -> None:
    done = run("live", "lo", "--top")
    assert (done.returncode, "there is no terminal" in done.stderr) == (2, True)
