"""Messages of metrics, byte by byte as protobuf's encoding has them (protobuf.dev/programming-guides/encoding)."""

import struct

import pytest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

from kafkasniff.metrics.protobuf import is_preferred, messages_of


def field(number: int, content: bytes) -> bytes:
    """Wire type 2: a tag, a length of one byte, and so many bytes."""
    assert len(content) < 128
    return bytes([number << 3 | 2, len(content)]) + content


def real(number: int, value: float) -> bytes:
    """Wire type 1: eight bytes, the lowest first."""
    return bytes([number << 3 | 1]) + struct.pack("<d", value)


def label(name: bytes, value: bytes) -> bytes:
    return field(1, field(1, name) + field(2, value))


def test_a_gauge() -> None:
    """metrics.proto: name 1, help 2, type 3 (GAUGE 1), metric 4; of a metric label 1 and gauge 2."""
    gauge = GaugeMetricFamily("up", "Whether it is up.", labels=["api", "host"])
    gauge.add_metric(["FETCH", "a"], 1.5)
    gauge.add_metric(["", "ü"], -2)
    first = field(4, label(b"api", b"FETCH") + label(b"host", b"a") + field(2, real(1, 1.5)))
    second = field(4, label(b"api", b"") + label(b"host", "ü".encode()) + field(2, real(1, -2.0)))
    family = field(1, b"up") + field(2, b"Whether it is up.") + b"\x18\x01" + first + second
    assert messages_of([gauge]) == bytes([len(family)]) + family


def test_counters_follow_each_other_behind_their_lengths() -> None:
    """COUNTER is 0, its field 3; a length from 128 on has two bytes, the lower seven bits first."""
    short, long = CounterMetricFamily("calls", "Calls.", value=3), CounterMetricFamily("b", "x" * 102, value=0)
    head = field(1, b"calls_total") + field(2, b"Calls.") + b"\x18\x00"
    first = head + field(4, field(3, real(1, 3.0)))
    second = field(1, b"b_total") + field(2, b"x" * 102) + b"\x18\x00" + field(4, field(3, real(1, 0.0)))
    assert len(second) == 128
    assert messages_of([short, long]) == bytes([len(first)]) + first + b"\x80\x01" + second
    assert messages_of([]) == b""


@pytest.mark.parametrize(
    ("accept", "preferred"),
    [
        # As Prometheus 3 asks, with native histograms and without.
        (
            "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,"
            "application/openmetrics-text;version=1.0.0;q=0.5",
            True,
        ),
        ("application/openmetrics-text;version=1.0.0;q=0.6,application/vnd.google.protobuf;q=0.5", False),
        *(("application/vnd.google.protobuf", True), (" application/vnd.google.protobuf ;q=1", True)),
        *(("text/plain", False), ("*/*", False), ("", False)),
    ],
)
def test_messages_are_for_who_wants_them_most(accept: str, preferred: bool) -> None:
    assert is_preferred(accept) == preferred
