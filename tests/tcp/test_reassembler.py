"""Recordings, against a reader of a few lines that shares no code with the reassembler."""

import json
import random
import time
from collections import defaultdict
from pathlib import Path

import dpkt
import pytest

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.tcp.events import ConnectionEnd, StreamData, StreamEvent
from kafkasniff.tcp.reassembler import Reassembler
from tests.conftest import SHARED, needs_shared
from tests.tcp.conversations import SYN, Talk, batch, connections, run

HEALTHY = sorted((SHARED / "captures" / "healthy").glob("*.pcap"))
OTHERS = SHARED / "fixtures" / "other-pcaps"
ODD = {"mid-stream-start", "snaplen-96"}
"""Captures that the reader below does not follow."""
SLOW = 1_500_000
"""Bytes of a capture from which on it takes too long."""


def read(path: Path) -> tuple[Reassembler, list[StreamEvent]]:
    reassembler = Reassembler()
    events = []
    try:
        for packets in CaptureReader(str(path)):
            events += reassembler.feed(packets)
    except CaptureError:
        pass
    return reassembler, events + reassembler.flush()


def naive_streams(path: Path) -> list[bytes]:
    """Each direction's bytes, put together by sequence number as if nothing ever lacked."""
    syns: dict[tuple[object, ...], list[int]] = defaultdict(list)
    segments: dict[tuple[object, ...], list[tuple[int, bytes]]] = defaultdict(list)
    with path.open("rb") as file:
        reader = dpkt.pcap.UniversalReader(file)
        for _, frame in reader:
            link = {113: dpkt.sll.SLL, 276: dpkt.sll2.SLL2}.get(reader.datalink(), dpkt.ethernet.Ethernet)(frame)
            packet = link.data
            if not isinstance(packet, dpkt.ip.IP | dpkt.ip6.IP6) or not isinstance(packet.data, dpkt.tcp.TCP):
                continue
            segment = packet.data
            key = (packet.src, segment.sport, packet.dst, segment.dport)
            if segment.flags & SYN and segment.seq not in syns[key]:
                syns[key].append(segment.seq)
            if segment.data:
                segments[key, len(syns[key])].append((segment.seq, segment.data))
    streams = []
    for (key, epoch), carried in segments.items():
        first = syns[key][epoch - 1] + 1 if epoch else carried[0][0]
        stream: dict[int, int] = {}
        for sequence, data in carried:
            for index, byte in enumerate(data):
                stream.setdefault((sequence - first + index) % (1 << 32), byte)
        assert sorted(stream) == list(range(len(stream)))
        streams.append(bytes(stream[index] for index in range(len(stream))))
    return sorted(streams)


@needs_shared
@pytest.mark.parametrize(
    "path", [p for p in HEALTHY if p.stem not in ODD and p.stat().st_size < SLOW], ids=lambda path: path.stem
)
def test_streams_of_healthy_captures(path: Path) -> None:
    _, events = read(path)
    seen = connections(events)
    parts = [direction for record in seen for direction in record.parts if direction]
    assert all(len(direction) == 1 for direction in parts), "a gap where every byte was captured"
    assert sorted(direction[0] for direction in parts) == naive_streams(path)


@needs_shared
def test_other_captures_pass_quickly() -> None:
    """Anything but Kafka, many malformed: nothing is raised, and connections are consistent."""
    rows = json.loads((OTHERS / "manifest.json").read_text())
    segments = 0
    for row in rows:
        path = SHARED / "fixtures" / row["path"]
        begun = time.monotonic()
        reassembler, events = read(path)
        assert time.monotonic() - begun < 10, path
        connections(events)
        segments += reassembler.counters.segments
    assert len(rows) > 300
    assert segments > 10_000


@needs_shared
@pytest.mark.parametrize(
    ("name", "tunnel", "bytes_seen"),
    [
        ("link_encap/zeek__tunnels_vxlan-encapsulated-http.pcap", ("vxlan:1",), None),
        ("link_encap/zeek__tunnels_geneve-many-options.pcap", ("geneve:786734",), None),
        ("link_encap/zeek__pppoe-over-qinq.pcap", (), None),
        ("link_encap/zeek__mpls-in-vlan.pcap", (), None),
        ("link_encap/arkime__gre-erspan-vxlan.pcap", ("erspan:20", "vxlan:0"), None),
        ("link_encap/zeek__nflog-http.pcap", (), None),
        ("link_encap/arkime__80211http.pcap", (), None),
        ("tso_jumbo/the-tcpdump-group__bigtcp-ipv4.pcap", (), 80_000),
        ("tso_jumbo/the-tcpdump-group__bigtcp-ipv6-hbh.pcap", (), 80_000),
    ],
)
def test_encapsulations_recorded_by_others(name: str, tunnel: tuple[str, ...], bytes_seen: int | None) -> None:
    _, events = read(OTHERS / name)
    data = [event for event in events if isinstance(event, StreamData)]
    assert data
    assert {event.connection.tunnel for event in data} == {tunnel}
    if bytes_seen is not None:
        assert sum(len(event.data) for event in data) == pytest.approx(bytes_seen, rel=0.01)


@pytest.mark.parametrize("link_type", [1, 113])
def test_the_quick_way_and_the_careful_way_agree(link_type: int) -> None:
    talk = Talk().open()
    for index in range(300):
        talk.send(index % 3 == 0, bytes([index % 256]) * (index % 50))
    talk.close()
    headers = {1: b"\2" * 12, 113: b"\0" * 14}[link_type]
    quick = [headers + frame[12:] for frame in talk.frames]
    careful = [headers + b"\x81\0\0\1" + frame[12:] for frame in talk.frames]
    assert [
        (type(event), getattr(event, "data", None), getattr(event, "arrival", None) and event.arrival.order)
        for event in run(quick, link_type=link_type)
    ] == [
        (type(event), getattr(event, "data", None), getattr(event, "arrival", None) and event.arrival.order)
        for event in run(careful, link_type=link_type)
    ]


def test_flush_ends_every_connection_once() -> None:
    reassembler = Reassembler()
    reassembler.feed(batch(Talk().open().frames + Talk(client_port=2).send(0, flags=SYN).frames))
    assert [type(event) for event in reassembler.flush()].count(ConnectionEnd) == 2
    assert reassembler.flush() == []


def test_random_bytes_raise_nothing() -> None:
    chance = random.Random(4)
    whole = Talk().open().send(0, b"request" * 20).send(1, b"answer" * 20).close().frames
    for _ in range(2_000):
        frames = [bytearray(frame) for frame in whole]
        for _ in range(chance.randint(1, 20)):
            frame = chance.choice(frames)
            frame[chance.randrange(len(frame))] = chance.randrange(256)
        chance.shuffle(frames)
        connections(
            run([bytes(frame) for frame in frames], link_type=chance.choice((0, 1, 9, 101, 105, 113, 239, 276)))
        )
