"""Headers read as columns: what stands in made packets, and nothing of packets of other shapes."""

import struct
from socket import AF_INET6, inet_pton

import pytest

from kafkasniff.tcp.columns import endpoint_number, read_columns
from tests.tcp.conversations import ACK, CLIENT, PSH, SERVER, batch, ethernet, ipv4, ipv4_address, tcp

MACS = b"\2\0\0\0\0\1\2\0\0\0\0\2"
SEGMENT = tcp(40_000, 9092, 4_000_000_000, 77, ACK | PSH, b"payload")
FOUR = ipv4(CLIENT, SERVER, SEGMENT)
ADDRESSES = inet_pton(AF_INET6, "2001:db8::1"), inet_pton(AF_INET6, "2001:db8::2")
SIX = struct.pack(">IHBB", 6 << 28, len(SEGMENT), 6, 64) + ADDRESSES[0] + ADDRESSES[1] + SEGMENT

LINKS = {
    "Ethernet": (1, MACS, b""),
    "802.1Q": (1, MACS + b"\x81\0\0\x2a", b""),
    "Linux cooked": (113, bytes(14), b""),
    "Linux cooked with VLAN": (113, bytes(14) + b"\x81\0\0\7", b""),
    "Linux cooked v2": (276, b"", bytes(18)),
}


@pytest.mark.parametrize(("link_type", "before", "after"), LINKS.values(), ids=LINKS.keys())
@pytest.mark.parametrize(("ethertype", "packet", "addresses"), [(b"\x08\0", FOUR, 8), (b"\x86\xdd", SIX, 32)])
def test_fields_are_those_of_the_packet(
    link_type: int, before: bytes, after: bytes, ethertype: bytes, packet: bytes, addresses: int
) -> None:
    frame = before + ethertype + after + packet
    packets = batch([frame] * 3, link_type=link_type)
    columns = read_columns(packets)
    assert columns.common.tolist() == [True] * 3
    for index, offset in enumerate(packets.offsets):
        key_at, length = columns.key_at.item(index), columns.key_length.item(index)
        key = packets.data[key_at : key_at + length]
        assert key == packet[len(packet) - len(SEGMENT) - addresses : len(packet) - len(SEGMENT) + 4]
        assert columns.payload.item(index) == offset + len(frame) - len(b"payload")
    assert columns.length.tolist() == [7] * 3
    assert columns.sequence.tolist() == [4_000_000_000] * 3
    assert columns.acknowledgement.tolist() == [77] * 3
    assert columns.flags.tolist() == [ACK | PSH] * 3
    assert columns.window.tolist() == [8192] * 3


@pytest.mark.parametrize("packet", [FOUR, SIX])
@pytest.mark.parametrize(("link_type", "header"), [(101, b""), (12, b""), (0, b"\2\0\0\0"), (108, b"\0\0\0\2")])
def test_without_ethertype_the_version_tells(packet: bytes, link_type: int, header: bytes) -> None:
    columns = read_columns(batch([header + packet], link_type=link_type))
    assert columns.common.tolist() == [True]
    assert columns.length.tolist() == [7]


def test_a_padded_frame_ends_where_ip_says() -> None:
    short = tcp(40_000, 9092, 1, 1, ACK)
    assert read_columns(batch([ethernet(ipv4(CLIENT, SERVER, short)) + bytes(6)])).length.tolist() == [0]


OTHERS = {
    "options": ethernet(ipv4(CLIENT, SERVER, SEGMENT, options=b"\1\1\1\1")),
    "fragment": ethernet(ipv4(CLIENT, SERVER, SEGMENT, more=True)),
    "UDP": ethernet(ipv4(CLIENT, SERVER, SEGMENT, protocol=17)),
    "ARP": ethernet(bytes(46), 0x0806),
    "length 0": ethernet(ipv4(CLIENT, SERVER, SEGMENT, total=0)),
    "two tags": MACS + b"\x88\xa8\0\1\x81\0\0\2\x08\0" + FOUR,
    "cut in the payload": ethernet(FOUR)[:-1],
    "cut in the header": ethernet(FOUR)[:40],
    "empty": b"",
    "short TCP header": ethernet(ipv4(CLIENT, SERVER, SEGMENT[:12] + b"\x40" + SEGMENT[13:])),
    "IPv6 extension": ethernet(SIX[:6] + b"\0" + SIX[7:], 0x86DD),
}


@pytest.mark.parametrize("frame", OTHERS.values(), ids=OTHERS.keys())
def test_other_shapes_are_left_alone(frame: bytes) -> None:
    whole = ethernet(FOUR)
    assert read_columns(batch([whole, frame, whole])).common.tolist() == [True, False, True]
    assert read_columns(batch([frame])).common.tolist() == [False]


def test_unknown_link_types_are_left_alone() -> None:
    assert read_columns(batch([ethernet(FOUR)], link_type=147)).common.tolist() == [False]


def test_endpoints_have_one_number_each() -> None:
    columns = read_columns(batch([ethernet(FOUR), ethernet(SIX, 0x86DD)]))
    port, server_port = (struct.pack(">H", number) for number in (40_000, 9092))
    assert columns.source.item(0) == endpoint_number(ipv4_address(CLIENT), port)
    assert columns.destination.item(0) == endpoint_number(ipv4_address(SERVER), server_port)
    assert columns.source.item(1) == endpoint_number(ADDRESSES[0], port)
    assert columns.destination.item(1) == endpoint_number(ADDRESSES[1], server_port)
    assert len({*columns.source.tolist(), *columns.destination.tolist()}) == 4
