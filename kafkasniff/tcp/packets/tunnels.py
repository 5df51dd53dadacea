# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""IP packets within IP packets: IP-in-IP, GRE, ERSPAN, VXLAN, GENEVE, GTP-U, L2TP, Teredo."""

from functools import lru_cache

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.tcp.packets.headers import u8, u16, u24, u32
from kafkasniff.tcp.packets.link import ETHERNET, IPV4, IPV6, NSH, Network, by_ethertype, by_version, ppp

_IPV4, _ETHERNET = IPV4, ETHERNET
"""As numbers of C."""
_IPV4_IN_IP = 4
_UDP = 17
_IPV6_IN_IP = 41
_GRE = 47
_ERSPAN_II = 0x88BE
_ERSPAN_III = 0x22EB
_GRE_IN_UDP_PORT = 4754
_VXLAN_PORT = 4789
_VXLAN_PORT_OF_LINUX = 8472
_VXLAN_GPE_PORT = 4790
_VXLAN_GPE_PROTOCOLS = {1: IPV4, 2: IPV6, 3: ETHERNET, 4: NSH}
_GENEVE_PORT = 6081
_GTP_PORT = 2152
_L2TP_PORT = 1701
_TEREDO_PORT = 3544


@cython.no_gc
@cython.freelist(8)
@cython.final
@cython.cclass
class Inner:
    """The packet within a tunnel."""

    __slots__ = ("label", "network", "separates")

    def __init__(self, network: Network, label: str, separates: bool) -> None:
        """Take what the tunnel's headers say."""
        self.network = network
        self.label = label
        """Name of the encapsulation, with the number of the virtual network where it has one."""
        self.separates = separates
        """Whether equal addresses under other labels are other connections.

        True for virtual networks (VXLAN, GENEVE, GRE with a key); not where the number differs by direction (GTP-U,
        L2TP), is that of a mirror session (ERSPAN), or where answers may come back outside the tunnel (IP-in-IP).
        """


def open_tunnel(outer: int, protocol: int, data: bytes, at: int, end: int) -> Inner | None:
    """Find the packet within the payload of an IP packet; None when the payload is no known tunnel.

    `outer` is the EtherType of the packet that carries it. Raises HeaderError for a damaged tunnel header.
    """
    if protocol == _UDP:
        return _udp(data, at, end)
    if protocol == _GRE:
        return _gre(data, at, end)
    version = "4" if outer == _IPV4 else "6"
    if protocol == _IPV4_IN_IP:
        return Inner((IPV4, at), f"4in{version}", False)
    if protocol == _IPV6_IN_IP:
        return Inner((IPV6, at), f"6in{version}", False)
    return None


@lru_cache(maxsize=64)
def _label(kind: str, number: int) -> str:
    """Give the name of a virtual network: the same text for all its packets, which compare and hash sooner so."""
    return f"{kind}:{number}"


def _gre(data: bytes, at: int, end: int) -> Inner:
    # RFC 2784, RFC 2890 (key, sequence number), RFC 2637 (version 1, PPTP).
    flags, protocol = u16(data, at, end), u16(data, at + 2, end)
    at += 4
    if flags & 7 == 1:
        at += 4 + (4 if flags & 0x1000 else 0) + (4 if flags & 0x80 else 0)
        return Inner(ppp(data, at, end), "pptp", False)
    if flags & 0xC000:
        at += 4
    key = None
    if flags & 0x2000:
        key = u32(data, at, end)
        at += 4
    if flags & 0x1000:
        at += 4
    if protocol == _ERSPAN_II:
        # draft-foschiano-erspan: type I has neither a sequence number nor a header.
        if not flags & 0x1000:
            return Inner(by_ethertype(_ETHERNET, data, at, end), "erspan", False)
        return Inner(
            by_ethertype(_ETHERNET, data, at + 8, end), _label("erspan", u16(data, at + 2, end) & 0x3FF), False
        )
    if protocol == _ERSPAN_III:
        header = 20 if u8(data, at + 11, end) & 1 else 12
        return Inner(
            by_ethertype(_ETHERNET, data, at + header, end), _label("erspan", u16(data, at + 2, end) & 0x3FF), False
        )
    network = by_ethertype(protocol, data, at, end)
    return Inner(network, "gre", False) if key is None else Inner(network, _label("gre", key), True)


def _udp(data: bytes, at: int, end: int) -> Inner | None:
    source, destination = u16(data, at, end), u16(data, at + 2, end)
    at += 8
    if destination in (_VXLAN_PORT, _VXLAN_PORT_OF_LINUX):
        if not u8(data, at, end) & 8:
            return None
        return Inner(by_ethertype(_ETHERNET, data, at + 8, end), _label("vxlan", u24(data, at + 4, end)), True)
    if destination == _VXLAN_GPE_PORT:
        ethertype = _VXLAN_GPE_PROTOCOLS.get(u8(data, at + 3, end), 0)
        return Inner(by_ethertype(ethertype, data, at + 8, end), _label("vxlan", u24(data, at + 4, end)), True)
    if destination == _GENEVE_PORT:
        # RFC 8926: the options' length in 4-byte words.
        header = 8 + (u8(data, at, end) & 0x3F) * 4
        network = by_ethertype(u16(data, at + 2, end), data, at + header, end)
        return Inner(network, _label("geneve", u24(data, at + 4, end)), True)
    if destination == _GRE_IN_UDP_PORT:
        return _gre(data, at, end)
    if destination == _GTP_PORT:
        return _gtp(data, at, end)
    if destination == _L2TP_PORT:
        return _l2tp(data, at, end)
    if _TEREDO_PORT in (source, destination):
        return _teredo(data, at, end)
    return None


def _gtp(data: bytes, at: int, end: int) -> Inner | None:
    # 3GPP TS 29.281: version 1, message 255 (G-PDU), optional fields, a chain of extension headers.
    flags = u8(data, at, end)
    if flags & 0xF0 != 0x30 or u8(data, at + 1, end) != 255:
        return None
    at += 8
    if flags & 7:
        extension = u8(data, at + 3, end)
        at += 4
        while extension and flags & 4:
            length = u8(data, at, end) * 4
            if not length:
                return None
            at += length
            extension = u8(data, at - 1, end)
    return Inner(by_version(data, at, end), "gtp", False)


def _l2tp(data: bytes, at: int, end: int) -> Inner | None:
    # RFC 2661, data messages only.
    flags = u16(data, at, end)
    if flags & 0x800F != 2:
        return None
    at += 6
    if flags & 0x4000:
        at += 2
    if flags & 0x0800:
        at += 4
    if flags & 0x0200:
        at += 2 + u16(data, at, end)
    return Inner(ppp(data, at, end), "l2tp", False)


def _teredo(data: bytes, at: int, end: int) -> Inner | None:
    # RFC 4380: authentication and origin indications may stand before the IPv6 header.
    if u16(data, at, end) == 1:
        at += 13 + u8(data, at + 2, end) + u8(data, at + 3, end)
    if u16(data, at, end) == 0:
        at += 8
    return Inner((IPV6, at), "teredo", False) if u8(data, at, end) >> 4 == 6 else None
