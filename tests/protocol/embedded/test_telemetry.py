"""Bytes written by hand after opentelemetry/proto/metrics/v1/metrics.proto, with field numbers spelt out."""

import gzip
import struct

import pytest

from kafkasniff.protocol.embedded import telemetry
from kafkasniff.protocol.embedded.entries import Embedded, Opened

NONE, GZIP = 0, 1


def field(number: int, content: bytes) -> bytes:
    """Write a length-delimited field."""
    assert len(content) < 128
    return bytes([number << 3 | 2, len(content)]) + content


def fixed(number: int, layout: str, value: float) -> bytes:
    return bytes([number << 3 | 1]) + struct.pack(f"<{layout}", value)


def opened(data: bytes, compression: int = NONE) -> Opened:
    into = Opened([], [])
    telemetry.open_metrics(into, "metrics", compression, data)
    return into


ATTRIBUTE = field(1, b"node_id") + field(2, field(1, b"node-1"))
POINT = field(7, ATTRIBUTE) + fixed(2, "Q", 10) + fixed(3, "Q", 20) + fixed(4, "d", 1.5)
SUM = field(7, field(1, POINT) + b"\x10\x01" + b"\x18\x01")
DATA = field(1, field(2, field(2, field(1, b"m.total") + SUM)))
VALUE = {
    "resourceMetrics": [
        {
            "scopeMetrics": [
                {
                    "metrics": [
                        {
                            "name": "m.total",
                            "sum": {
                                "dataPoints": [
                                    {
                                        "attributes": [{"key": "node_id", "value": {"stringValue": "node-1"}}],
                                        "startTimeUnixNano": 10,
                                        "timeUnixNano": 20,
                                        "asDouble": 1.5,
                                    }
                                ],
                                "aggregationTemporality": 1,
                                "isMonotonic": True,
                            },
                        }
                    ]
                }
            ]
        }
    ]
}


def test_a_sum_with_attributes() -> None:
    assert opened(DATA) == Opened([Embedded("metrics", "MetricsData", None, VALUE)], [])


def test_compressed_metrics() -> None:
    assert opened(gzip.compress(DATA), GZIP).embedded[0].value == VALUE


def test_a_gauge_of_integers_of_a_resource() -> None:
    gauge = field(5, field(1, fixed(3, "Q", 7) + fixed(6, "q", -3)))
    resource = field(1, field(1, field(1, b"group_id") + field(2, b"\x18\x05")))
    data = field(1, resource + field(2, field(1, field(1, b"scope")) + field(2, field(1, b"g") + gauge)))
    assert opened(data).embedded[0].value == {
        "resourceMetrics": [
            {
                "resource": {"attributes": [{"key": "group_id", "value": {"intValue": 5}}]},
                "scopeMetrics": [
                    {
                        "scope": {"name": "scope"},
                        "metrics": [{"name": "g", "gauge": {"dataPoints": [{"timeUnixNano": 7, "asInt": -3}]}}],
                    }
                ],
            }
        ]
    }


def test_a_histogram() -> None:
    buckets = field(6, struct.pack("<2Q", 1, 2)) + field(7, struct.pack("<d", 0.5))
    histogram = field(9, field(1, fixed(4, "Q", 3) + fixed(5, "d", 2.0) + buckets) + b"\x10\x02")
    value = opened(field(1, field(2, field(2, histogram)))).embedded[0].value
    assert value is not None
    assert value["resourceMetrics"][0]["scopeMetrics"][0]["metrics"] == [
        {
            "histogram": {
                "dataPoints": [{"count": 3, "sum": 2.0, "bucketCounts": [1, 2], "explicitBounds": [0.5]}],
                "aggregationTemporality": 2,
            }
        }
    ]


def test_no_metrics_are_no_message() -> None:
    assert opened(b"") == Opened([], [])


@pytest.mark.parametrize(
    ("compression", "data", "message"),
    [
        (9, DATA, "expected a known compression, found 9"),
        (-1, DATA, "expected a known compression, found -1"),
        (GZIP, DATA, "gzip"),
        (NONE, DATA[:-1], "MetricsData.resourceMetrics[0] at byte 1"),
    ],
)
def test_what_does_not_open_is_a_problem(compression: int, data: bytes, message: str) -> None:
    into = opened(data, compression)
    assert into.embedded == []
    assert into.problems[0][0] == "metrics"
    assert message in into.problems[0][1]


def test_a_bomb_is_refused() -> None:
    into = opened(gzip.compress(bytes(telemetry.MAX_METRICS_BYTES + 1)), GZIP)
    assert into.embedded == []
    assert "found more" in into.problems[0][1]
