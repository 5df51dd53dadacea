"""Serves metrics by HTTP: `/metrics` for Prometheus, `/healthz` and `/readyz` for whoever looks after the process."""

import socket
import threading
from collections.abc import Callable, Iterable
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.registry import Collector

from kafkasniff.metrics.protobuf import CONTENT_TYPE, is_preferred, messages_of

_TEXT = ("Content-Type", "text/plain; charset=utf-8")
_OK, _NOT_FOUND, _UNAVAILABLE, _NO_METHOD = (
    "200 OK", "404 Not Found", "503 Service Unavailable", "405 Method Not Allowed",
)  # fmt: skip
_SECONDS = 10.0
"""For a client to send its request, and to take its answer."""


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 16

    def server_bind(self) -> None:
        """Bind without asking a name server who this is, as HTTPServer does."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])
        self.setup_environ()


class _Server6(_Server):
    address_family = socket.AF_INET6


class _Handler(WSGIRequestHandler):
    timeout = _SECONDS

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing of requests."""

    def address_string(self) -> str:
        """Give the client's address, which no name server is asked about."""
        return str(self.client_address[0])


class MetricsServer:
    """An HTTP server in threads of its own."""

    def __init__(self, host: str, port: int) -> None:
        """Take the port, and answer nothing before `start`; raises OSError where it cannot be had."""
        family = _Server6 if ":" in host else _Server
        self._server = make_server(host, port, self._answer, family, _Handler)
        self.host = f"[{host}]" if ":" in host else host or socket.gethostname()
        self.port: int = self._server.server_port
        self._metrics: Callable[..., Iterable[bytes]] | None = None
        self._why_unready: Callable[[], str | None] = lambda: "not started yet"

    def start(self, collector: Collector, why_unready: Callable[[], str | None]) -> None:
        """Serve what `collector` gives; `why_unready` gives why nothing is captured, None while all is well."""
        registry = CollectorRegistry(auto_describe=False)
        registry.register(collector)
        self._metrics = make_wsgi_app(registry)
        self._collector = collector
        self._why_unready = why_unready
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Serve no more."""
        if self._metrics is not None:
            self._server.shutdown()
        self._server.server_close()

    def _answer(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "/")
        if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            start(_NO_METHOD, [_TEXT])
            return [b"only GET\n"]
        if path == "/metrics" and self._metrics is not None:
            if is_preferred(environ.get("HTTP_ACCEPT", "")):
                start(_OK, [("Content-Type", CONTENT_TYPE)])
                return [messages_of(self._collector.collect())]
            return self._metrics(environ, start)
        why = self._why_unready()
        if path == "/healthz":
            # It answers; what it waits for is nothing that another start would bring.
            start(_OK, [_TEXT])
            return [b"ok\n"]
        if path == "/readyz":
            start(_OK if why is None else _UNAVAILABLE, [_TEXT])
            return [b"ok\n" if why is None else f"{why}\n".encode()]
        start(_NOT_FOUND, [_TEXT])
        return [b"there are /metrics, /healthz and /readyz\n"]
