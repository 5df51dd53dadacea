"""IP headers, against packets that Scapy made."""

import pytest
from scapy.layers.inet import IP, IPOption_Router_Alert
from scapy.layers.inet6 import (
    IPv6,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrFragment,
    IPv6ExtHdrHopByHop,
    IPv6ExtHdrRouting,
)
from scapy.packet import Raw

from kafkasniff.tcp.packets.headers import HeaderError
from kafkasniff.tcp.packets.ip import Fragment, parse_ip
from kafkasniff.tcp.packets.link import IPV4, IPV6


def test_ipv4_with_options_and_padding_behind() -> None:
    made = bytes(IP(src="10.1.2.3", dst="10.4.5.6", proto=6, options=[IPOption_Router_Alert()]) / Raw(b"payload"))
    packet = parse_ip(IPV4, made + b"\0" * 9, 0, len(made) + 9, len(made) + 9)
    assert (packet.source, packet.destination, packet.protocol) == (b"\x0a\1\2\3", b"\x0a\4\5\6", 6)
    assert (packet.at, packet.wire_end, packet.fragment) == (24, 31, None)


def test_ipv4_of_length_zero_ends_with_the_frame() -> None:
    made = bytes(IP(proto=6, len=0) / Raw(b"p" * 70_000))
    assert parse_ip(IPV4, made, 0, 100, len(made)).wire_end == 70_020


def test_ipv4_fragment() -> None:
    made = bytes(IP(id=77, flags="MF", frag=3, proto=6) / Raw(b"x" * 16))
    assert parse_ip(IPV4, made, 0, len(made), len(made)).fragment == Fragment(77, 24, True)


def test_ipv6_extension_headers() -> None:
    headers = IPv6ExtHdrHopByHop() / IPv6ExtHdrRouting(addresses=["::1"]) / IPv6ExtHdrDestOpt()
    made = bytes(IPv6(src="2001:db8::1", dst="2001:db8::2") / headers / Raw(b"payload"))
    made = made.replace(b"payload", b"PAYLOAD")
    packet = parse_ip(IPV6, made, 0, len(made), len(made))
    assert made[packet.at : packet.wire_end] == b"PAYLOAD"
    assert packet.source == bytes.fromhex("20010db8000000000000000000000001")


def test_ipv6_fragments() -> None:
    made = bytes(IPv6() / IPv6ExtHdrFragment(id=5, offset=2, m=0, nh=6) / Raw(b"x" * 8))
    packet = parse_ip(IPV6, made, 0, len(made), len(made))
    assert (packet.protocol, packet.at, packet.fragment) == (6, 48, Fragment(5, 16, False))
    atomic = bytes(IPv6() / IPv6ExtHdrFragment(id=5, offset=0, m=0, nh=6) / Raw(b"x" * 8))
    assert parse_ip(IPV6, atomic, 0, len(atomic), len(atomic)).fragment is None


def test_ipv6_payload_length_zero_ends_with_the_frame() -> None:
    made = bytes(IPv6(plen=0, nh=6) / Raw(b"p" * 70_000))
    assert parse_ip(IPV6, made, 0, len(made), len(made)).wire_end == len(made)


@pytest.mark.parametrize(
    ("ethertype", "packet"),
    [
        (IPV4, bytes.fromhex("4400002800010000400600000a0000010a000002")),
        (IPV4, bytes.fromhex("4500001000010000400600000a0000010a000002")),
        (IPV4, bytes.fromhex("65000028")),
        (IPV4, bytes.fromhex("4f000028000100004006")),
        (IPV6, b"\x60" + b"\0" * 30),
        (IPV6, b"\x60\0\0\0\0\x08\0\x40" + b"\0" * 32 + b"\x06\xff\0\0\0\0\0\0"[:1]),
        (IPV4, b""),
    ],
)
def test_damaged_headers(ethertype: int, packet: bytes) -> None:
    with pytest.raises(HeaderError):
        parse_ip(ethertype, packet, 0, len(packet), len(packet))
