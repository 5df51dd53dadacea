import pytest

from kafkasniff.calls.engine import Engine
from kafkasniff.capture.reader import CaptureReader
from kafkasniff.pipeline.mentions import items_mention_ids, mentions_ids
from kafkasniff.tcp.columns import read_columns
from kafkasniff.tcp.limits import TcpLimits
from tests.conftest import SHARED, needs_shared

HEALTHY = SHARED / "captures" / "healthy"


@needs_shared
@pytest.mark.parametrize(
    ("name", "mentioned"),
    [
        # Fetch has topic ids since Kafka 3.1 (KIP-516).
        ("java-4.3.1-basic", True),
        ("cluster-3.9.1-startup-shutdown", True),
        ("cluster-1.1.1-startup-shutdown", False),
        ("cluster-0.10.2.2-startup-shutdown", False),
    ],
)
@pytest.mark.parametrize("limits", [TcpLimits(column_packets=1), TcpLimits(column_packets=1 << 62)])
def test_topic_ids_are_seen_in_packets_and_in_calls(name, mentioned, limits):
    path = str(HEALTHY / f"{name}.pcap")
    engine = Engine(tcp_limits=limits)

    in_packets = [mentions_ids(batch.data, read_columns(batch)) for batch in CaptureReader(path)]
    in_calls = [items_mention_ids(engine.feed_columns(batch)) for batch in CaptureReader(path)]

    assert any(in_packets) == mentioned
    assert any([*in_calls, items_mention_ids(engine.flush())]) == mentioned
