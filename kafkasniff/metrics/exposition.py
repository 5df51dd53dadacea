"""The totals as metrics of Prometheus, by prometheus_client."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from kafkasniff.diagnose.finding import Finding
from kafkasniff.metrics.breakdown import Key, Row
from kafkasniff.metrics.histogram import OCTAVES, up_to_octaves
from kafkasniff.metrics.protobuf import LatencyFamily
from kafkasniff.metrics.state import State
from kafkasniff.metrics.totals import API_BROKER, CLIENT, ERROR_API, GROUP, TOPIC, Totals

LABELS = {"api_name": "api", "server": "broker"}
"""Labels that are called otherwise than columns of tables."""

COUNTERS = (
    ("calls", "calls", "Calls that ended.", 1.0),
    ("failed_calls", "failed", "Calls with an error code in one of their messages.", 1.0),
    ("unanswered_calls", "unanswered", "Calls that the broker did not answer though all was seen that it sent.", 1.0),
    ("request_bytes", "request_bytes", "Bytes of requests, by their size prefixes.", 1.0),
    ("response_bytes", "response_bytes", "Bytes of responses, by their size prefixes.", 1.0),
    ("throttled_calls", "throttled", "Calls whose answer has a throttle time above 0.", 1.0),
    ("throttle_seconds", "throttle_ms", "Sum of the throttle times in answers.", 1e-3),
)
"""Name, which of `breakdown.SUMS`, help, and what the sum is multiplied by."""

PREFIXES = {API_BROKER: "", CLIENT: "client_", TOPIC: "topic_", GROUP: "group_"}
"""Of the names of counters, by the labels that these have."""
WITH_LATENCY = (API_BROKER, CLIENT)

STATE_COUNTERS = {
    "packets": "Packets that were read from the interfaces.",
    "dropped_packets": "Packets that the kernel dropped, as they came faster than they were read.",
    "cut_packets": "Packets of which the capture has only a part.",
    "gaps": "Places where the capture lacks bytes of a connection.",
    "gap_bytes": "Bytes that the capture lacks, as far as their number is known.",
    "connections": "Connections that ended.",
    "kafka_connections": "Kafka connections that ended.",
}
STATE_GAUGES = {
    "open_connections": "Kafka connections that have not ended.",
    "in_flight": "Requests that wait for their answers.",
}
_LE = [repr(float(bound)) for bound in OCTAVES] + ["+Inf"]


class Exposition(Collector):
    """Gives the metrics when a registry asks for them."""

    def __init__(self, totals: Totals, state: Callable[[], State], findings: Sequence[Finding] = ()) -> None:
        """Take what is counted, and a list with the latest findings at any time."""
        self._totals = totals
        self._state = state
        self._findings = findings

    def describe(self) -> list[Metric]:
        """Give nothing: names need not be checked against those of other collectors."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Give all metrics as they are now."""
        state = self._state()
        for name, meaning in STATE_COUNTERS.items():
            yield CounterMetricFamily(f"kafkasniff_{name}", meaning, value=getattr(state, name))
        for name, meaning in STATE_GAUGES.items():
            yield GaugeMetricFamily(f"kafkasniff_{name}", meaning, value=getattr(state, name))
        rows = self._totals.snapshot().rows
        for labels, prefix in PREFIXES.items():
            names = [LABELS.get(label, label) for label in labels]
            for name, of, meaning, factor in COUNTERS:
                yield _counter(f"kafkasniff_{prefix}{name}", meaning, names, rows[labels], of, factor)
            if labels in WITH_LATENCY:
                yield _latencies(f"kafkasniff_{prefix}latency_seconds", names, rows[labels])
        names = [LABELS.get(label, label) for label in ERROR_API]
        meaning = "Calls with an error code, by its name; a call with several counts for each."
        yield _counter("kafkasniff_errors", meaning, names, rows[ERROR_API], "calls", 1.0)
        yield self._names()
        yield _findings(self._findings)

    def _names(self) -> Metric:
        """Say how many names have series of their own, and how many may have."""
        meaning = "Names with series of their own; those beyond the limit are in the series `other`."
        family = GaugeMetricFamily("kafkasniff_names", meaning, labels=["of", "kind"])
        for labels, breakdown in self._totals.breakdowns.items():
            of = ",".join(LABELS.get(label, label) for label in labels)
            family.add_metric([of, "known"], len(breakdown))
            family.add_metric([of, "limit"], breakdown.limit)
        return family


def _counter(name: str, meaning: str, labels: Sequence[str], rows: Mapping[Key, Row], of: str, factor: float) -> Metric:
    family = CounterMetricFamily(name, meaning, labels=labels)
    for key, row in rows.items():
        family.add_metric(key, row[of] * factor)
    return family


def _latencies(name: str, labels: Sequence[str], rows: Mapping[Key, Row]) -> Metric:
    meaning = "From the request's first byte to the response's last, of answered calls."
    family = LatencyFamily(name, meaning, labels)
    for key, row in rows.items():
        counts = up_to_octaves(row.buckets)
        family.add_metric(key, [*zip(_LE, map(float, counts), strict=True)], row["latency_ms"] / 1000)
        family.rows.append((dict(zip(labels, key, strict=True)), row))
    return family


def _findings(findings: Sequence[Finding]) -> Metric:
    found: dict[tuple[str, str], int] = {}
    for finding in findings:
        key = finding.rule, finding.severity
        found[key] = found.get(key, 0) + 1
    meaning = "Findings of kafkasniff's rules so far, by rule; `kafkasniff explain RULE` says what it means."
    family = GaugeMetricFamily("kafkasniff_findings", meaning, labels=["rule", "severity"])
    for (rule, severity), count in found.items():
        family.add_metric([rule, severity], count)
    return family
