import struct

import pytest

from kafkasniff.calls.engine import Engine
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.pipeline.mentions import items_mention_ids, mentions_ids
from kafkasniff.pipeline.packet_keys import read_keys
from tests.conftest import SHARED, needs_shared
from tests.tcp.conversations import ACK, CLIENT, SERVER, batch, ethernet, ipv4, tcp

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
def test_topic_ids_are_seen_in_packets_and_in_calls(name, mentioned):
    path = str(HEALTHY / f"{name}.pcap")
    engine = Engine()

    in_packets = [mentions_ids(batch.data, read_keys(batch)) for batch in CaptureReader(path)]
    in_calls = [items_mention_ids(engine.feed(batch)) for batch in CaptureReader(path)]

    assert any(in_packets) == mentioned
    assert any([*in_calls, items_mention_ids(engine.flush())]) == mentioned


@pytest.mark.parametrize(
    ("payload", "mentioned"),
    [
        # Fetch request version 13: size, key and version, correlation id, client id (RequestHeader.json).
        (struct.pack(">IhhIh", 40, 1, 13, 7, 4) + b"test" + bytes(26), True),
        (struct.pack(">IhhIh", 36, 1, 13, 7, -1) + bytes(26), True),
        # Record batches in the midst of a message: what stands where key and version would is an offset.
        (struct.pack(">qiI", 13, 1_000, 0) + bytes(40), False),
        (struct.pack(">IqI", 0x4C000000, 13 << 32 | 0xDC28, 0xD682) + bytes(40), False),
        (struct.pack(">IIIh", 0x01000000, 13, 0xDC28, -0x297E) + bytes(40), False),
        (struct.pack(">qqq", 0x01A1F8D400490000, 0x01A1F8D400490000, 0) + bytes(40), False),
    ],
)
def test_what_no_request_begins_with_mentions_nothing(payload, mentioned):
    packets = batch([ethernet(ipv4(CLIENT, SERVER, tcp(40_000, 9092, 1, 1, ACK, payload)))])

    assert mentions_ids(packets.data, read_keys(packets)) == mentioned
