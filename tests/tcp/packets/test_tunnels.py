"""Tunnels: the same segment within each, found with its innermost addresses."""

import pytest
from scapy.contrib.erspan import ERSPAN_II, ERSPAN_III
from scapy.contrib.geneve import GENEVE
from scapy.contrib.gtp import GTP_U_Header
from scapy.contrib.mpls import MPLS
from scapy.layers.inet import GRE, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.layers.ppp import PPP
from scapy.layers.vxlan import VXLAN
from scapy.packet import Packet

from kafkasniff.tcp.events import Endpoint, StreamData
from tests.tcp.conversations import connections, run

INNER = IP(src="10.0.0.1", dst="10.0.0.2") / TCP(sport=40_000, dport=9092, seq=5, flags="PA") / b"request"
FRAME = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / INNER
OUTER = Ether(src="02:00:00:00:00:03", dst="02:00:00:00:00:04") / IP(src="192.0.2.1", dst="192.0.2.2")
OUTER6 = Ether(src="02:00:00:00:00:03", dst="02:00:00:00:00:04") / IPv6(src="2001:db8::1", dst="2001:db8::2")
INNER6 = IPv6(src="2001:db8::a", dst="2001:db8::b") / TCP(sport=40_000, dport=9092, seq=5, flags="PA") / b"request"

TUNNELS: dict[str, tuple[Packet, tuple[str, ...]]] = {
    "IP-in-IP": (OUTER / INNER, ("4in4",)),
    "4in6": (OUTER6 / INNER, ("4in6",)),
    "GRE": (OUTER / GRE() / INNER, ("gre",)),
    "GRE with checksum, key and number": (
        OUTER / GRE(chksum_present=1, key_present=1, seqnum_present=1, key=77) / INNER,
        ("gre:77",),
    ),
    "GRE, Ethernet within": (OUTER / GRE(proto=0x6558) / FRAME, ("gre",)),
    "GRE, MPLS within": (OUTER / GRE(proto=0x8847) / MPLS(label=3, s=1) / INNER, ("gre",)),
    "ERSPAN II": (OUTER / GRE(proto=0x88BE, seqnum_present=1) / ERSPAN_II(session_id=9) / FRAME, ("erspan:9",)),
    "ERSPAN III": (OUTER / GRE(proto=0x22EB, seqnum_present=1) / ERSPAN_III(session_id=9) / FRAME, ("erspan:9",)),
    "VXLAN": (OUTER / UDP(sport=5, dport=4789) / VXLAN(vni=42) / FRAME, ("vxlan:42",)),
    "VXLAN, Linux's old port": (OUTER / UDP(sport=5, dport=8472) / VXLAN(vni=42) / FRAME, ("vxlan:42",)),
    "VXLAN over IPv6, VLAN within": (
        OUTER6 / UDP(sport=5, dport=4789) / VXLAN(vni=1) / Ether() / Dot1Q(vlan=3) / INNER,
        ("vxlan:1",),
    ),
    "GENEVE": (OUTER / UDP(sport=5, dport=6081) / GENEVE(vni=43) / FRAME, ("geneve:43",)),
    "GTP-U": (OUTER / UDP(sport=5, dport=2152) / GTP_U_Header(teid=8) / INNER, ("gtp",)),
    "VXLAN within GRE": (
        OUTER / GRE() / IP(src="198.51.100.1", dst="198.51.100.2") / UDP(dport=4789) / VXLAN(vni=6) / FRAME,
        ("gre", "vxlan:6"),
    ),
    "L2TP": (OUTER / UDP(sport=1701, dport=1701) / b"\0\2\0\1\0\1" / PPP(proto=0x21) / INNER, ("l2tp",)),
}


@pytest.mark.parametrize(("packet", "labels"), TUNNELS.values(), ids=TUNNELS.keys())
def test_the_innermost_segment_is_found(packet: Packet, labels: tuple[str, ...]) -> None:
    (seen,) = connections(run([bytes(packet)]))
    assert seen.connection.endpoints == (Endpoint("10.0.0.1", 40_000), Endpoint("10.0.0.2", 9092))
    assert seen.connection.tunnel == labels
    assert seen.parts[0] == [b"request"]


@pytest.mark.parametrize(
    ("packet", "label"),
    [
        (OUTER / INNER6, "6in4"),
        (OUTER6 / INNER6, "6in6"),
        (OUTER / UDP(sport=3544, dport=3544) / INNER6, "teredo"),
        (OUTER / UDP(sport=5, dport=3544) / (b"\0\1\0\0" + b"\0" * 9) / (b"\0\0" + b"\1" * 6) / INNER6, "teredo"),
    ],
)
def test_ipv6_within(packet: Packet, label: str) -> None:
    (seen,) = connections(run([bytes(packet)]))
    assert str(seen.connection.endpoints[0]) == "[2001:db8::a]:40000"
    assert seen.connection.tunnel == (label,)
    assert seen.parts[0] == [b"request"]


def test_virtual_networks_separate_connections_and_vlans_do_not() -> None:
    networks = [bytes(OUTER / UDP(dport=4789) / VXLAN(vni=number) / FRAME) for number in (1, 2)]
    assert len(connections(run(networks))) == 2
    keys = [bytes(OUTER / GRE(key_present=1, key=number) / INNER) for number in (1, 2)]
    assert len(connections(run(keys))) == 2
    tags = [bytes(Ether() / Dot1Q(vlan=number) / INNER) for number in (1, 2)]
    assert len(connections(run([*tags, bytes(FRAME)]))) == 1


def test_answers_outside_the_tunnel_belong_to_the_connection() -> None:
    """Load balancers send requests through IP-in-IP, servers answer directly."""
    answer = IP(src="10.0.0.2", dst="10.0.0.1") / TCP(sport=9092, dport=40_000, seq=7, ack=12, flags="PA") / b"answer"
    (seen,) = connections(run([bytes(OUTER / INNER), bytes(Ether() / answer)]))
    assert seen.parts == ([b"request"], [b"answer"])


def test_a_tunnel_cut_anywhere_raises_nothing() -> None:
    for packet, _ in TUNNELS.values():
        frame = bytes(packet)
        frames = [frame[:length] for length in range(len(frame))]
        events = run(frames, original=[len(frame)] * len(frames))
        assert all(b"request".startswith(event.data) for event in events if isinstance(event, StreamData))


def test_tunnels_without_end() -> None:
    assert run([bytes(Ether() / IP() / IP() / IP() / IP() / IP() / IP() / IP() / IP() / IP() / OUTER[IP] / INNER)])
    frame = bytes(Ether())[:12] + b"\x08\0" + bytes(IP(proto=4, len=0) / b"")[:20] * 40
    assert run([frame]) == []
