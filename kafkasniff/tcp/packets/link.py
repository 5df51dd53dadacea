# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""From a captured frame to the network header within: link layers, VLAN tags, MPLS, PPP."""

from kafkasniff.tcp.packets.headers import HeaderError, u8, u16, u32

IPV4 = 0x0800
IPV6 = 0x86DD
ETHERNET = 0x6558
"""Transparent Ethernet bridging (RFC 1701): an Ethernet frame follows."""
NSH = 0x894F
MPLS = 0x8847

_IPV4, _IPV6, _ETHERNET, _NSH, _MPLS = IPV4, IPV6, ETHERNET, NSH, MPLS
"""As numbers of C."""
_MPLS_MULTICAST = 0x8848
_PPPOE_SESSION = 0x8864
_FABRIC_PATH = 0x8903
_LARGEST_LENGTH = 1500
"""IEEE 802.3: an EtherType field up to this is the frame's length."""
_NSH_PROTOCOLS = {1: IPV4, 2: IPV6, 3: ETHERNET, 5: MPLS}
_PPP_PROTOCOLS = {0x0021: IPV4, 0x0057: IPV6, 0x0281: MPLS}
_FRAME_RELAY_PROTOCOLS = {0xCC: IPV4, 0x8E: IPV6}
_PPP_TUNNELLED_ETHERTYPE = 0x880B

Network = tuple[int, int] | None
"""EtherType (IPV4 or IPV6) and position of the network header; None when it is neither."""


def find_network(link_type: int, data: bytes, at: int, end: int) -> Network:
    """Find the IP header of a captured frame that stands from `at` to `end`.

    Raises HeaderError for a damaged frame and KeyError for a link type that cannot be read.
    """
    return _LINK_LAYERS[link_type](data, at, end)


def ethernet(data: bytes, at: int, end: int) -> Network:
    """Find the IP header of an Ethernet frame."""
    return by_ethertype(u16(data, at + 12, end), data, at + 14, end)


def by_ethertype(ethertype: int, data: bytes, at: int, end: int) -> Network:
    """Find the IP header behind a header that announced `ethertype`."""
    while ethertype not in (_IPV4, _IPV6):
        if ethertype in (0x8100, 0x88A8, 0x9100, 0x9200, 0x9300):  # tags of VLANs
            ethertype = u16(data, at + 2, end)
            at += 4
        elif ethertype in (_MPLS, _MPLS_MULTICAST):
            return _mpls(data, at, end)
        elif ethertype == _PPPOE_SESSION:
            return ppp(data, at + 6, end)
        elif ethertype == _PPP_TUNNELLED_ETHERTYPE:
            return ppp(data, at, end)
        elif ethertype == _ETHERNET:
            ethertype = u16(data, at + 12, end)
            at += 14
        elif ethertype == _FABRIC_PATH:
            ethertype, at = _ETHERNET, at + 2
        elif ethertype == _NSH:
            # RFC 8300: length in 4-byte words, next protocol.
            ethertype, at = _NSH_PROTOCOLS.get(u8(data, at + 3, end), 0), at + max(data[at + 1] & 0x3F, 2) * 4
        elif ethertype <= _LARGEST_LENGTH and data[at : min(at + 6, end)] == b"\xaa\xaa\x03\0\0\0":
            ethertype = u16(data, at + 6, end)
            at += 8
        else:
            return None
    return ethertype, at


def by_version(data: bytes, at: int, end: int) -> Network:
    """Find the IP header where nothing but its own version tells which."""
    version = u8(data, at, end) >> 4
    if version == 4:
        return _IPV4, at
    if version == 6:
        return _IPV6, at
    return None


def ppp(data: bytes, at: int, end: int) -> Network:
    """Find the IP header of a PPP frame (RFC 1661), with or without address, control and a one-byte protocol."""
    if data[at : min(at + 2, end)] == b"\xff\x03":
        at += 2
    protocol = u8(data, at, end)
    at += 1
    if not protocol & 1:
        protocol = protocol << 8 | u8(data, at, end)
        at += 1
    ethertype = _PPP_PROTOCOLS.get(protocol)
    return by_ethertype(ethertype, data, at, end) if ethertype else None


def _mpls(data: bytes, at: int, end: int) -> Network:
    while not u32(data, at, end) & 0x100:
        at += 4
    at += 4
    found = by_version(data, at, end)
    if found:
        return found
    # RFC 4448: an Ethernet frame, behind a control word whose first four bits are 0.
    return ethernet(data, at + 4 if not data[at] >> 4 else at, end)


def _linux_sll(data: bytes, at: int, end: int) -> Network:
    return by_ethertype(u16(data, at + 14, end), data, at + 16, end)


def _linux_sll2(data: bytes, at: int, end: int) -> Network:
    return by_ethertype(u16(data, at, end), data, at + 20, end)


def _address_family(data: bytes, at: int, end: int) -> Network:
    # The family's number depends on the system, its byte order on the machine; the header's version does not.
    return by_version(data, at + 4, end)


def _pppoe(data: bytes, at: int, end: int) -> Network:
    return ppp(data, at + 6, end)


def _cisco_hdlc(data: bytes, at: int, end: int) -> Network:
    return by_ethertype(u16(data, at + 2, end), data, at + 4, end)


def _frame_relay(data: bytes, at: int, end: int) -> Network:
    # RFC 2427: Q.922 address of two bytes, control 3, padding, NLPID.
    at += 3
    if u8(data, at, end) == 0:
        at += 1
    protocol = u8(data, at, end)
    if protocol == 0x80:
        return by_ethertype(u16(data, at + 4, end), data, at + 6, end)
    ethertype = _FRAME_RELAY_PROTOCOLS.get(protocol)
    return (ethertype, at + 1) if ethertype else None


def _wlan(data: bytes, at: int, end: int) -> Network:
    control, flags = u8(data, at, end), u8(data, at + 1, end)
    if control & 0x0C != 0x08 or control & 0x40 or flags & 0x40:
        # Not a data frame, a data frame without data, or encrypted.
        return None
    length = 30 if flags & 3 == 3 else 24
    if control & 0x80:
        length += 6 if flags & 0x80 else 2
    return by_ethertype(0, data, at + length, end)


def _radiotap(data: bytes, at: int, end: int) -> Network:
    length = u8(data, at + 2, end) | u8(data, at + 3, end) << 8
    return _wlan(data, at + length, end)


def _nflog(data: bytes, at: int, end: int) -> Network:
    at += 4
    while at + 4 <= end:
        length = data[at] | data[at + 1] << 8
        kind = data[at + 2] | data[at + 3] << 8
        if length < 4:
            raise HeaderError
        if kind == 9:
            return by_version(data, at + 4, end)
        at += (length + 3) & ~3
    return None


def _pktap(data: bytes, at: int, end: int) -> Network:
    if at + 12 > end:
        raise HeaderError
    length = int.from_bytes(data[at : at + 4], "little")
    link_type = int.from_bytes(data[at + 8 : at + 12], "little")
    if length < 12 or link_type not in _LINK_LAYERS or link_type == _PKTAP:
        return None
    return find_network(link_type, data, at + length, end)


_PKTAP = 258
_LINK_LAYERS = {
    0: _address_family,
    1: ethernet,
    9: ppp,
    12: by_version,
    14: by_version,
    50: ppp,
    51: _pppoe,
    101: by_version,
    104: _cisco_hdlc,
    105: _wlan,
    107: _frame_relay,
    108: _address_family,
    113: _linux_sll,
    127: _radiotap,
    228: by_version,
    229: by_version,
    239: _nflog,
    _PKTAP: _pktap,
    276: _linux_sll2,
}
"""By LINKTYPE_ number (https://www.tcpdump.org/linktypes.html)."""
