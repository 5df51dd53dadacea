"""The HTTP server of metrics, asked by the standard library's client."""

from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse

import pytest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from kafkasniff.metrics.serving import MetricsServer


class One(Collector):
    def collect(self) -> Iterator[Metric]:
        yield GaugeMetricFamily("kafkasniff_open_connections", "Open.", value=7)


def ask(server: MetricsServer, path: str, method: str = "GET") -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request(method, path)
    answer: HTTPResponse = connection.getresponse()
    return answer.status, answer.read().decode()


@pytest.mark.parametrize("why", [None, "eth0 is down"])
def test_paths_and_what_they_say(why: str | None) -> None:
    server = MetricsServer("127.0.0.1", 0)
    server.start(One(), lambda: why)
    status, text = ask(server, "/metrics")
    assert status == 200
    assert "kafkasniff_open_connections 7.0\n" in text
    assert ask(server, "/healthz") == (200, "ok\n")
    assert ask(server, "/readyz") == ((200, "ok\n") if why is None else (503, "eth0 is down\n"))
    assert ask(server, "/")[0] == 404
    assert ask(server, "/metrics", "POST") == (405, "only GET\n")
    server.close()
    with pytest.raises(OSError, match="refused"):
        ask(server, "/healthz")


def test_a_port_that_is_taken_is_refused() -> None:
    first = MetricsServer("127.0.0.1", 0)
    with pytest.raises(OSError, match="in use"):
        MetricsServer("127.0.0.1", first.port)
    first.close()
