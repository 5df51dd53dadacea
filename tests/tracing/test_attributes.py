"""Spans of calls, against OpenTelemetry's semantic conventions for Kafka."""

from kafkasniff.tracing.attributes import Spans
from tests.render.made_calls import MILLISECOND, NOON, heartbeat_call, metadata_call


def test_a_call_has_the_names_of_the_conventions() -> None:
    span = Spans().of(metadata_call(topic="orders", client_id="shop"))
    assert (span.name, span.kind, span.error) == ("metadata orders", "client", None)
    assert (span.start_ns - NOON, span.end_ns - span.start_ns) == (123_456_000, 1_234_000)
    assert (
        span.attributes.items()
        >= {
            "messaging.system": "kafka",
            "messaging.operation.name": "metadata",
            "messaging.client.id": "shop",
            "messaging.destination.name": "orders",
            "client.address": "10.0.0.1",
            "client.port": 51234,
            "server.address": "10.0.0.2",
            "server.port": 9092,
            "network.transport": "tcp",
            "kafka.api_version": 1,
        }.items()
    )
    assert "messaging.operation.type" not in span.attributes
    assert "error.type" not in span.attributes


def test_groups_and_errors_are_named() -> None:
    span = Spans().of(heartbeat_call(group="billing", error_code=27))
    assert span.attributes["messaging.consumer.group.name"] == "billing"
    assert span.attributes["error.type"] == span.error == "REBALANCE_IN_PROGRESS"


def test_a_call_without_an_answer_ends_with_what_ruled_it_out() -> None:
    call = heartbeat_call(outcome="unanswered")
    span = Spans().of(call)
    assert span.error == span.attributes["error.type"] == "unanswered"
    assert span.end_ns == call.ended.time >= span.start_ns
    assert "kafka.response.size" not in span.attributes
    call.ended = call.ended.at(NOON - 5 * MILLISECOND)
    assert Spans().of(call).end_ns == span.start_ns


def test_names_from_the_wire_are_safe_and_bounded() -> None:
    span = Spans().of(metadata_call(topic="o\x1b" + "x" * 5_000))
    name = str(span.attributes["messaging.destination.name"])
    assert "\x1b" not in name
    assert len(name) < 300
