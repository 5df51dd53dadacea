"""The metrics of calls that are made by hand, as Prometheus's own parser reads them."""

import prometheus_client
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import CollectorRegistry

from kafkasniff.diagnose.finding import Finding
from kafkasniff.metrics.exposition import Exposition
from kafkasniff.metrics.state import State
from kafkasniff.metrics.totals import Totals
from tests.render.made_calls import heartbeat_call, metadata_call


def samples() -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    totals = Totals()
    totals.take([metadata_call(), metadata_call(error_code=6), heartbeat_call(outcome="unanswered")])
    finding = Finding("metadata-storm", "warning", {}, 1, 2, 3, "", "", "", [])
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Exposition(totals, lambda: State(*range(1, 10)), [finding, finding]))
    text = prometheus_client.generate_latest(registry).decode()
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_counters_and_their_labels() -> None:
    found = samples()
    metadata = frozenset({"api": "METADATA", "broker": "10.0.0.2:9092"}.items())
    heartbeat = frozenset({"api": "HEARTBEAT", "broker": "10.0.0.2:9092"}.items())
    assert found["kafkasniff_calls_total", metadata] == 2
    assert found["kafkasniff_failed_calls_total", metadata] == 1
    assert found["kafkasniff_unanswered_calls_total", heartbeat] == 1
    assert found["kafkasniff_latency_seconds_count", metadata] == 2
    # Each takes 1.234 ms.
    assert round(found["kafkasniff_latency_seconds_sum", metadata], 9) == 0.002468
    assert found["kafkasniff_findings", frozenset({"rule": "metadata-storm", "severity": "warning"}.items())] == 2
