"""Metrics as messages of protobuf: the only format in which Prometheus takes native histograms.

Messages and their fields are those of `io.prometheus.client` (metrics.proto of prometheus/client_model); they follow
each other, each behind its length. prometheus_client writes text alone.
"""

import struct
from collections.abc import Iterable, Mapping, Sequence

from prometheus_client.core import HistogramMetricFamily, Metric

from kafkasniff.metrics.breakdown import Row
from kafkasniff.metrics.histogram import OCTAVES, SCHEMA, ZERO_THRESHOLD, native_of, up_to_octaves

_MEDIA_TYPE = "application/vnd.google.protobuf"
CONTENT_TYPE = f"{_MEDIA_TYPE}; proto=io.prometheus.client.MetricFamily; encoding=delimited"

_TYPES = {"counter": 0, "gauge": 1, "histogram": 4}
"""Numbers of `MetricType`."""
_VALUES = {"counter": 3, "gauge": 2}
"""The field of a `Metric` that holds a value of the type."""


class LatencyFamily(HistogramMetricFamily):
    """Histograms of latencies, which keeps beside the samples of text what these are made of."""

    def __init__(self, name: str, meaning: str, labels: Sequence[str]) -> None:
        """Begin without histograms."""
        super().__init__(name, meaning, labels=labels)
        self.rows: list[tuple[Mapping[str, str], Row]] = []


def is_preferred(accept: str) -> bool:
    """Tell whether who asks wants messages rather than text: Prometheus names first what it wants most."""
    return accept.partition(",")[0].partition(";")[0].strip() == _MEDIA_TYPE


def messages_of(metrics: Iterable[Metric]) -> bytes:
    """Give metrics as messages."""
    families = [_family(metric) for metric in metrics]
    return b"".join(_varint(len(family)) + family for family in families)


def _family(metric: Metric) -> bytes:
    """Give a `MetricFamily`: name, help, type and metrics."""
    name = f"{metric.name}_total" if metric.type == "counter" else metric.name
    head = _bytes(1, name.encode()) + _bytes(2, metric.documentation.encode()) + _number(3, _TYPES[metric.type])
    if isinstance(metric, LatencyFamily):
        return head + b"".join(_bytes(4, _labels(labels) + _bytes(7, _histogram(row))) for labels, row in metric.rows)
    value = _VALUES[metric.type]
    samples = metric.samples
    return head + b"".join(_bytes(4, _labels(each.labels) + _bytes(value, _real(1, each.value))) for each in samples)


def _labels(labels: Mapping[str, str]) -> bytes:
    return b"".join(_bytes(1, _bytes(1, name.encode()) + _bytes(2, value.encode())) for name, value in labels.items())


def _histogram(row: Row) -> bytes:
    """Give a `Histogram`: the classic buckets, and the native ones."""
    *counts, number = up_to_octaves(row.buckets)
    native = native_of(row.buckets)
    bounds = map(float, OCTAVES)
    return b"".join(
        (
            _number(1, number),
            _real(2, row["latency_ms"] / 1000),
            *(_bytes(3, _number(1, count) + _real(2, bound)) for count, bound in zip(counts, bounds, strict=True)),
            _number(5, _zigzag(SCHEMA)),
            _real(6, ZERO_THRESHOLD),
            _number(7, native.zero),
            *(_bytes(12, _number(1, _zigzag(offset)) + _number(2, length)) for offset, length in native.spans),
            *(_number(13, _zigzag(delta)) for delta in native.deltas),
        )
    )


def _zigzag(value: int) -> int:
    """Give a signed number as `sint32` and `sint64` have it."""
    return value * 2 if value >= 0 else -value * 2 - 1


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _real(field: int, value: float) -> bytes:
    return _varint(field << 3 | 1) + struct.pack("<d", value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value
