"""Client metrics (KIP-714): OpenTelemetry's MetricsData, compressed."""

from typing import Final

from kafkasniff.protocol.allowance import MEMORY_OF_VALUE
from kafkasniff.protocol.bodies import DecodedBody
from kafkasniff.protocol.embedded.entries import Opened
from kafkasniff.protocol.embedded.protobuf import MAX_FIELDS, ProtoField, Schema, Values, read_message
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.records.batches import COMPRESSIONS
from kafkasniff.protocol.records.compression.codecs import decompress
from kafkasniff.protocol.records.compression.decompression_error import DecompressionError

MAX_METRICS_BYTES: Final = 16 << 20
"""Most bytes of metrics when decompressed; brokers take 1 MiB unless told otherwise (telemetry.max.bytes)."""

_ENOUGH = MAX_METRICS_BYTES + MAX_FIELDS * MEMORY_OF_VALUE
"""What one message can take at most."""

_ATTRIBUTES = ProtoField("attributes", "KeyValue", repeated=True)
_DROPPED_ATTRIBUTES = ProtoField("droppedAttributesCount", "uint32")
_START = ProtoField("startTimeUnixNano", "fixed64")
_TIME = ProtoField("timeUnixNano", "fixed64")
_FLAGS = ProtoField("flags", "uint32")
_TEMPORALITY = ProtoField("aggregationTemporality", "uint32")
_DATA_POINTS = "dataPoints"

SCHEMA: Final[Schema] = {
    "MetricsData": {1: ProtoField("resourceMetrics", "ResourceMetrics", repeated=True)},
    "ResourceMetrics": {
        1: ProtoField("resource", "Resource"),
        2: ProtoField("scopeMetrics", "ScopeMetrics", repeated=True),
        3: ProtoField("schemaUrl", "string"),
    },
    "Resource": {1: _ATTRIBUTES, 2: _DROPPED_ATTRIBUTES},
    "ScopeMetrics": {
        1: ProtoField("scope", "InstrumentationScope"),
        2: ProtoField("metrics", "Metric", repeated=True),
        3: ProtoField("schemaUrl", "string"),
    },
    "InstrumentationScope": {
        1: ProtoField("name", "string"),
        2: ProtoField("version", "string"),
        3: _ATTRIBUTES,
        4: _DROPPED_ATTRIBUTES,
    },
    "Metric": {
        1: ProtoField("name", "string"),
        2: ProtoField("description", "string"),
        3: ProtoField("unit", "string"),
        5: ProtoField("gauge", "Gauge"),
        7: ProtoField("sum", "Sum"),
        9: ProtoField("histogram", "Histogram"),
        10: ProtoField("exponentialHistogram", "ExponentialHistogram"),
        11: ProtoField("summary", "Summary"),
        12: ProtoField("metadata", "KeyValue", repeated=True),
    },
    "Gauge": {1: ProtoField(_DATA_POINTS, "NumberDataPoint", repeated=True)},
    "Sum": {
        1: ProtoField(_DATA_POINTS, "NumberDataPoint", repeated=True),
        2: _TEMPORALITY,
        3: ProtoField("isMonotonic", "bool"),
    },
    "Histogram": {1: ProtoField(_DATA_POINTS, "HistogramDataPoint", repeated=True), 2: _TEMPORALITY},
    "ExponentialHistogram": {
        1: ProtoField(_DATA_POINTS, "ExponentialHistogramDataPoint", repeated=True),
        2: _TEMPORALITY,
    },
    "Summary": {1: ProtoField(_DATA_POINTS, "SummaryDataPoint", repeated=True)},
    "NumberDataPoint": {
        7: _ATTRIBUTES,
        2: _START,
        3: _TIME,
        4: ProtoField("asDouble", "double"),
        6: ProtoField("asInt", "sfixed64"),
        8: _FLAGS,
    },
    "HistogramDataPoint": {
        9: _ATTRIBUTES,
        2: _START,
        3: _TIME,
        4: ProtoField("count", "fixed64"),
        5: ProtoField("sum", "double"),
        6: ProtoField("bucketCounts", "fixed64", repeated=True),
        7: ProtoField("explicitBounds", "double", repeated=True),
        10: _FLAGS,
        11: ProtoField("min", "double"),
        12: ProtoField("max", "double"),
    },
    "ExponentialHistogramDataPoint": {
        1: _ATTRIBUTES,
        2: _START,
        3: _TIME,
        4: ProtoField("count", "fixed64"),
        5: ProtoField("sum", "double"),
        6: ProtoField("scale", "sint32"),
        7: ProtoField("zeroCount", "fixed64"),
        8: ProtoField("positive", "Buckets"),
        9: ProtoField("negative", "Buckets"),
        10: _FLAGS,
        12: ProtoField("min", "double"),
        13: ProtoField("max", "double"),
        14: ProtoField("zeroThreshold", "double"),
    },
    "Buckets": {1: ProtoField("offset", "sint32"), 2: ProtoField("bucketCounts", "uint64", repeated=True)},
    "SummaryDataPoint": {
        7: _ATTRIBUTES,
        2: _START,
        3: _TIME,
        4: ProtoField("count", "fixed64"),
        5: ProtoField("sum", "double"),
        6: ProtoField("quantileValues", "ValueAtQuantile", repeated=True),
        8: _FLAGS,
    },
    "ValueAtQuantile": {1: ProtoField("quantile", "double"), 2: ProtoField("value", "double")},
    "KeyValue": {1: ProtoField("key", "string"), 2: ProtoField("value", "AnyValue")},
    "AnyValue": {
        1: ProtoField("stringValue", "string"),
        2: ProtoField("boolValue", "bool"),
        3: ProtoField("intValue", "int64"),
        4: ProtoField("doubleValue", "double"),
        5: ProtoField("arrayValue", "ArrayValue"),
        6: ProtoField("kvlistValue", "KeyValueList"),
        7: ProtoField("bytesValue", "bytes"),
    },
    "ArrayValue": {1: ProtoField("values", "AnyValue", repeated=True)},
    "KeyValueList": {1: ProtoField("values", "KeyValue", repeated=True)},
}
"""opentelemetry/proto/metrics/v1/metrics.proto with what it uses, less exemplars, which Kafka's clients do not send."""

NAME: Final = "MetricsData"


def open_metrics(into: Opened, path: str, compression_type: int, data: bytes) -> None:
    """Open the metrics of a PushTelemetry request: OTLP's JSON, but that 64-bit integers are numbers."""
    if not data:
        return
    if not 0 <= compression_type < len(COMPRESSIONS):
        into.add_problem(path, f"expected a known compression, found {compression_type}")
        return
    for allowance in into.allowances:
        allowance.earn(len(data))
    left = min((allowance.left for allowance in into.allowances), default=_ENOUGH)
    compression = COMPRESSIONS[compression_type]
    content = data
    values = Values(0)
    try:
        if left <= 0:
            raise DecompressionError("they are not opened")
        if compression != "none":
            content = b""
            content = bytes(decompress(compression, data, magic=2, limit=min(MAX_METRICS_BYTES, left)))
        values = Values(min(MAX_FIELDS, max(left - len(content), 0) // MEMORY_OF_VALUE))
        value = read_message(SCHEMA, NAME, content, into.depth, values)
    except DecompressionError as error:
        content = bytes(error.content)
        into.add_problem(path, f"{error}{_why(left)}")
    except ProtocolError as error:
        why = _why(left) if values.left < 0 else ""
        into.add_problem(path, f"{NAME}.{error.path} at byte {error.offset} of the metrics: {error.message}{why}")
    else:
        into.add(path, NAME, None, DecodedBody(0, value))
    for allowance in into.allowances:
        allowance.spend(len(content) + MEMORY_OF_VALUE * values.read)


def _why(left: int) -> str:
    """Say where the bound came from, if it was not that of one message."""
    return "" if left >= _ENOUGH else " (the metrics of the connection, or of the run, have reached their bound)"
