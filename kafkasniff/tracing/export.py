"""Sends spans and log records by OTLP over HTTP, with opentelemetry-sdk."""

import logging
import queue
import threading
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.trace import SpanKind, Status, StatusCode

from kafkasniff.calls.call import Call
from kafkasniff.calls.items import Item
from kafkasniff.diagnose.finding import Finding
from kafkasniff.tracing.attributes import Spans

_BATCH = 512
"""Spans that are sent together, at most."""
_MOST_BATCHES = 16
"""That wait to be sent."""
_END_SECONDS = 15
"""How long is waited at the end for what was not sent yet."""
_KINDS = {"producer": SpanKind.PRODUCER, "consumer": SpanKind.CONSUMER, "client": SpanKind.CLIENT}
_SEVERITIES = {
    "error": SeverityNumber.ERROR, "warning": SeverityNumber.WARN, "info": SeverityNumber.INFO,
}  # fmt: skip
_FLUSH_SECONDS = 1.0
"""How long a span of a live capture waits for others at most."""
_ENDED: Any = None
"""Put into the queue behind the last batch."""


class Exporting(SpanProcessor):
    """Makes a span of each call, and sends them in batches from a thread of its own."""

    def __init__(self, endpoint: str, waits: bool) -> None:
        """Send to `endpoint`, the address of a collector; `/v1/traces` is put behind one without a path.

        `waits`: `take` waits while too much is to be sent, else it drops spans and counts them. Raises ValueError for
        what is no address.
        """
        parts = urlsplit(endpoint)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"expected an address such as http://localhost:4318, found {endpoint!r}")
        self._base = endpoint.rstrip("/").removesuffix("/v1/traces")
        self.sent = self.dropped = self.refused = 0
        """Spans that the collector took, that came too fast for it, and that it did not take."""
        # It says in many lines what is said here in one at the end.
        logger = logging.getLogger("opentelemetry")
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
        self._resource = Resource.create({"service.name": "kafkasniff"})
        self._exporter = OTLPSpanExporter(f"{self._base}/v1/traces")
        self._waits = waits
        self._spans = Spans()
        self._made: list[ReadableSpan] = []
        self._batches: queue.Queue[Sequence[ReadableSpan]] = queue.Queue(_MOST_BATCHES)
        self._next_flush = 0.0
        self._logs: LoggerProvider | None = None
        provider = TracerProvider(resource=self._resource, shutdown_on_exit=False)
        provider.add_span_processor(self)
        self._tracer = provider.get_tracer("kafkasniff")
        self._thread = threading.Thread(target=self._send, daemon=True)
        self._thread.start()

    def take(self, items: Sequence[Item]) -> None:
        """Take the calls among what an engine gave."""
        for item in items:
            if isinstance(item, Call):
                self.take_call(item)
        if not self._waits and time.monotonic() >= self._next_flush:
            self.flush()
            self._next_flush = time.monotonic() + _FLUSH_SECONDS

    def take_call(self, call: Call) -> None:
        """Make a span of a call."""
        told = self._spans.of(call)
        span = self._tracer.start_span(
            told.name, kind=_KINDS[told.kind], attributes=told.attributes, start_time=told.start_ns
        )
        if told.error is not None:
            span.set_status(Status(StatusCode.ERROR, told.error))
        span.end(told.end_ns)

    def on_end(self, span: ReadableSpan) -> None:
        """Take a span that the SDK made."""
        self._made.append(span)
        if len(self._made) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Hand on what was made to be sent."""
        made, self._made = self._made, []
        if not made:
            return
        try:
            self._batches.put(made, self._waits)
        except queue.Full:
            self.dropped += len(made)

    def finding(self, finding: Finding) -> None:
        """Send a finding as a log record."""
        if self._logs is None:
            self._logs = LoggerProvider(resource=self._resource, shutdown_on_exit=False)
            exporter = OTLPLogExporter(f"{self._base}/v1/logs")
            self._logs.add_log_record_processor(SimpleLogRecordProcessor(exporter))
        subject = {f"kafkasniff.subject.{name}": str(value) for name, value in finding.subject.items() if value}
        self._logs.get_logger("kafkasniff").emit(
            LogRecord(
                timestamp=finding.last_time,
                severity_number=_SEVERITIES[finding.severity],
                severity_text=finding.severity.upper(),
                body=finding.summary,
                event_name="kafkasniff.finding",
                attributes={"kafkasniff.rule": finding.rule, "kafkasniff.count": finding.count, **subject},
            )
        )

    def close(self) -> str | None:
        """Send the rest; give in a sentence what became of the spans where not all were taken."""
        self.flush()
        self._batches.put(_ENDED)
        self._thread.join(_END_SECONDS)
        if self._logs is not None:
            self._logs.shutdown()
        unsent = self.refused + self.dropped
        if self._thread.is_alive():
            return f"--otlp: {self._base} is too slow: not all spans were sent in {_END_SECONDS} s"
        if not unsent:
            return None
        why = "came faster than they were taken" if self.dropped else "were not taken"
        return f"--otlp: {unsent:,} of {unsent + self.sent:,} spans {why} by {self._base}"

    def _send(self) -> None:
        while (batch := self._batches.get()) is not _ENDED:
            if self._exporter.export(batch) is SpanExportResult.SUCCESS:
                self.sent += len(batch)
            else:
                self.refused += len(batch)
        self._exporter.shutdown()  # type: ignore[no-untyped-call]
