"""Headers read at once: what stands in made packets, and nothing of packets of other shapes."""

import struct
from socket import AF_INET6, inet_pton

import pytest

from kafkasniff.pipeline.indexes.packet_keys import connection_number, read_keys
from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.packets.segments import SegmentReader
from tests.tcp.conversations import ACK, CLIENT, SERVER, batch, ethernet, ipv4, ipv4_address, tcp

MACS = b"\2\0\0\0\0\1\2\0\0\0\0\2"
SEGMENT = tcp(40_000, 9092, 1, 77, ACK, b"payload")
ANSWER = tcp(9092, 40_000, 77, 8, ACK, b"answer")
FOUR = ipv4(CLIENT, SERVER, SEGMENT)
SIXES = inet_pton(AF_INET6, "2001:db8::1"), inet_pton(AF_INET6, "2001:db8::2")
PORTS = struct.pack(">HH", 40_000, 9092)


def ipv6(source: bytes, destination: bytes, segment: bytes) -> bytes:
    return struct.pack(">IHBB", 6 << 28, len(segment), 6, 64) + source + destination + segment


SIX = ipv6(*SIXES, SEGMENT)
LINKS = {
    "Ethernet": (1, MACS, b""),
    "802.1Q": (1, MACS + b"\x81\0\0\x2a", b""),
    "Linux cooked": (113, bytes(14), b""),
    "Linux cooked with VLAN": (113, bytes(14) + b"\x81\0\0\7", b""),
    "Linux cooked v2": (276, b"", bytes(18)),
}


@pytest.mark.parametrize(("link_type", "before", "after"), LINKS.values(), ids=LINKS.keys())
@pytest.mark.parametrize(("ethertype", "packet"), [(b"\x08\0", FOUR), (b"\x86\xdd", SIX)])
def test_payloads_are_those_of_the_packets(
    link_type: int, before: bytes, after: bytes, ethertype: bytes, packet: bytes
) -> None:
    packets = batch([before + ethertype + after + packet] * 3, link_type=link_type)
    keys = read_keys(packets)
    assert keys.usual.tolist() == [True] * 3
    found = zip(keys.payload.tolist(), keys.length.tolist(), strict=True)
    assert [packets.data[at : at + length] for at, length in found] == [b"payload"] * 3


@pytest.mark.parametrize("packet", [FOUR, SIX])
@pytest.mark.parametrize(("link_type", "header"), [(101, b""), (12, b""), (0, b"\2\0\0\0"), (108, b"\0\0\0\2")])
def test_without_ethertype_the_version_tells(packet: bytes, link_type: int, header: bytes) -> None:
    keys = read_keys(batch([header + packet], link_type=link_type))
    assert (keys.usual.tolist(), keys.length.tolist()) == ([True], [7])


def test_a_padded_frame_ends_where_ip_says_and_a_cut_one_where_the_capture_does() -> None:
    padded = ethernet(ipv4(CLIENT, SERVER, tcp(40_000, 9092, 1, 1, ACK))) + bytes(6)
    keys = read_keys(batch([padded, ethernet(FOUR)[:-3]]))
    assert (keys.usual.tolist(), keys.length.tolist()) == ([True, True], [0, 4])


OTHERS = {
    "options": ethernet(ipv4(CLIENT, SERVER, SEGMENT, options=b"\1\1\1\1")),
    "fragment": ethernet(ipv4(CLIENT, SERVER, SEGMENT, more=True)),
    "UDP": ethernet(ipv4(CLIENT, SERVER, SEGMENT, protocol=17)),
    "ARP": ethernet(bytes(46), 0x0806),
    "length 0": ethernet(ipv4(CLIENT, SERVER, SEGMENT, total=0)),
    "two tags": MACS + b"\x88\xa8\0\1\x81\0\0\2\x08\0" + FOUR,
    "cut in the header": ethernet(FOUR)[:53],
    "empty": b"",
    "short TCP header": ethernet(ipv4(CLIENT, SERVER, SEGMENT[:12] + b"\x40" + SEGMENT[13:])),
    "IPv6 extension": ethernet(SIX[:6] + b"\0" + SIX[7:], 0x86DD),
}


@pytest.mark.parametrize("frame", OTHERS.values(), ids=OTHERS.keys())
def test_other_shapes_are_left_alone(frame: bytes) -> None:
    whole = ethernet(FOUR)
    assert read_keys(batch([whole, frame, whole])).usual.tolist() == [True, False, True]
    assert read_keys(batch([frame])).usual.tolist() == [False]


def test_unknown_link_types_are_left_alone() -> None:
    assert read_keys(batch([ethernet(FOUR)], link_type=147)).usual.tolist() == [False]


def test_both_directions_have_one_number_and_other_connections_have_others() -> None:
    frames = [
        ethernet(FOUR),
        ethernet(ipv4(SERVER, CLIENT, ANSWER)),
        ethernet(ipv4(SERVER, CLIENT, SEGMENT)),
        ethernet(SIX, 0x86DD),
        ethernet(ipv6(*reversed(SIXES), ANSWER), 0x86DD),
    ]
    keys = read_keys(batch(frames))
    there, back, swapped, six, six_back = keys.connections.tolist()
    assert keys.downward.tolist() == [True, False, True, True, False]
    assert there == back == connection_number(ipv4_address(CLIENT) + ipv4_address(SERVER) + PORTS)
    assert six == six_back == connection_number(b"".join(SIXES) + PORTS)
    assert len({there, swapped, six}) == 3


@pytest.mark.parametrize("packet", [FOUR, SIX])
def test_the_number_is_that_of_the_key_of_segments(packet: bytes) -> None:
    packets = batch([packet], link_type=101)
    segment = SegmentReader(TcpLimits(), TcpCounters()).read(
        packets.data, 0, len(packet), len(packet), packets.arrival(0)
    )
    assert segment is not None
    assert isinstance(segment.key, bytes)
    assert read_keys(packets).connections.tolist() == [connection_number(segment.key)]
