"""Link layers: each frame carries the same IPv4 packet, which must be found at its place."""

import pytest

from kafkasniff.tcp.packets.headers import HeaderError
from kafkasniff.tcp.packets.link import IPV4, IPV6, find_network

PACKET = bytes.fromhex("4500002800010000400600000a0000010a000002") + b"\1" * 20
MACS = b"\2\0\0\0\0\1\2\0\0\0\0\2"

FRAMES = {
    "Ethernet": (1, MACS + b"\x08\0"),
    "802.1Q": (1, MACS + bytes.fromhex("8100 002a 0800")),
    "802.1ad": (1, MACS + bytes.fromhex("88a8 0001 8100 0002 0800")),
    "QinQ with 0x9100": (1, MACS + bytes.fromhex("9100 0001 8100 0002 0800")),
    "MPLS, two labels": (1, MACS + bytes.fromhex("8847 00001040 00002140")),
    "MPLS, Ethernet with control word": (1, MACS + bytes.fromhex("8847 00002140 00000000") + MACS + b"\x08\0"),
    "PPPoE": (1, MACS + bytes.fromhex("8864 1100 0001 002a 0021")),
    "LLC and SNAP": (1, MACS + bytes.fromhex("0030 aaaa03 000000 0800")),
    "NSH": (1, MACS + bytes.fromhex("894f 0006 0101 00000000 00000000") + b"\0" * 12),
    "Linux cooked": (113, bytes.fromhex("0000 0001 0006 020000000001 0000 0800")),
    "Linux cooked with VLAN": (113, bytes.fromhex("0000 0001 0006 020000000001 0000 8100 0007 0800")),
    "Linux cooked v2": (276, bytes.fromhex("0800 0000 00000001 0001 00 06 0200000000010000")),
    "raw": (101, b""),
    "raw of OpenBSD": (14, b""),
    "raw IPv4": (228, b""),
    "loopback, little-endian": (0, b"\2\0\0\0"),
    "loopback, big-endian": (108, b"\0\0\0\2"),
    "PPP": (9, bytes.fromhex("ff03 0021")),
    "PPP, compressed header": (9, b"\x21"),
    "Cisco HDLC": (104, bytes.fromhex("0f00 0800")),
    "frame relay": (107, bytes.fromhex("1841 03 cc")),
    "802.11 data": (105, b"\x08\x01" + b"\0" * 22 + bytes.fromhex("aaaa03 000000 0800")),
    "802.11 QoS data behind radiotap": (
        127,
        b"\0\0\x08\0\0\0\0\0" + b"\x88\x01" + b"\0" * 24 + bytes.fromhex("aaaa03 000000 0800"),
    ),
    "netfilter log": (239, bytes.fromhex("02000000 0500 0a00 00 000000 4000 0900")),
}


@pytest.mark.parametrize(("link_type", "header"), FRAMES.values(), ids=FRAMES.keys())
def test_the_packet_is_found(link_type: int, header: bytes) -> None:
    data = b"before" + header + PACKET + b"after"
    assert find_network(link_type, data, 6, len(data) - 5) == (IPV4, 6 + len(header))


@pytest.mark.parametrize(("link_type", "header"), FRAMES.values(), ids=FRAMES.keys())
def test_a_header_cut_anywhere_is_no_packet(link_type: int, header: bytes) -> None:
    data = header + PACKET
    for end in range(len(header)):
        try:
            found = find_network(link_type, data, 0, end)
        except HeaderError:
            continue
        # What lies behind the captured bytes is refused by the IP header.
        assert found is None or found[1] > end


def test_ipv6_and_others() -> None:
    assert find_network(1, MACS + b"\x86\xdd" + b"\x60" + b"\0" * 39, 0, 54) == (IPV6, 14)
    assert find_network(1, MACS + b"\x08\x06" + b"\0" * 28, 0, 42) is None
    assert find_network(101, b"\x60" + b"\0" * 39, 0, 40) == (IPV6, 0)


def test_an_encrypted_radio_frame_is_no_packet() -> None:
    assert find_network(105, b"\x08\x41" + b"\0" * 22 + bytes.fromhex("aaaa03 000000 0800") + PACKET, 0, 72) is None


def test_a_link_type_that_cannot_be_read() -> None:
    with pytest.raises(KeyError):
        find_network(189, PACKET, 0, len(PACKET))
