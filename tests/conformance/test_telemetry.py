"""Client metrics of the Java client and librdkafka, against what KIP-714 demands and what the broker asked for."""

from collections import defaultdict
from collections.abc import Callable

from kafkasniff.calls.call import Call
from kafkasniff.protocol.embedded.openers import open_embedded
from kafkasniff.reading import read
from tests.conformance.recordings import HEALTHY
from tests.conftest import needs_shared

pytestmark = needs_shared

GET_TELEMETRY_SUBSCRIPTIONS, PUSH_TELEMETRY = 71, 72

# KIP-714, required producer and consumer metrics, as far as their group was asked for.
PRODUCER = {
    f"org.apache.kafka.producer.{name}"
    for name in (
        "connection.creation.rate",
        "connection.creation.total",
        "node.request.latency.avg",
        "node.request.latency.max",
        "produce.throttle.time.avg",
        "produce.throttle.time.max",
        "record.queue.time.avg",
        "record.queue.time.max",
    )
}
CONSUMER = {
    f"org.apache.kafka.consumer.coordinator.{name}"
    for name in (
        "assigned.partitions",
        "commit.latency.avg",
        "commit.latency.max",
        "rebalance.latency.avg",
        "rebalance.latency.max",
        "rebalance.latency.total",
    )
}


def test_metrics_have_the_names_that_were_asked_for(add_figure: Callable[..., None]) -> None:
    names = defaultdict(set)
    prefixes = set()
    for call in read(str(HEALTHY / "telemetry.pcap")):
        if not isinstance(call, Call):
            continue
        if call.api_key == GET_TELEMETRY_SUBSCRIPTIONS and call.response_body and call.response_body.value:
            prefixes.update(call.response_body.value["requestedMetrics"])
        elif call.api_key == PUSH_TELEMETRY and call.request_body and call.request_body.value:
            found = open_embedded("request", PUSH_TELEMETRY, 0, call.request_body.value)
            assert found.problems == []
            for entry in found.embedded:
                assert entry.value is not None
                names[call.software_name].update(
                    metric["name"]
                    for resource in entry.value.get("resourceMetrics", ())
                    for scope in resource["scopeMetrics"]
                    for metric in scope["metrics"]
                )
    for client, found_names in names.items():
        add_figure(
            "Telemetry", str(client), metrics=len(found_names), required=len(found_names & (PRODUCER | CONSUMER))
        )
        assert all(name.startswith(tuple(prefixes)) for name in found_names)
        assert found_names >= PRODUCER | CONSUMER
    assert set(names) == {"apache-kafka-java", "confluent-kafka-python"}
