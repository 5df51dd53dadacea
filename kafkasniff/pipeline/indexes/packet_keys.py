"""By which connection packets are sorted: of the usual ones NumPy reads the headers of a batch at once.

These are TCP segments, whole headers captured, right behind IPv4 without options or IPv6 without extension headers, on
Ethernet (with a VLAN tag or without), in cooked captures, on loopback or as raw IP. `SegmentReader` reads all others.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kafkasniff.capture.packets import PacketBatch
from kafkasniff.pipeline.indexes.pieces import Marks, Numbers
from kafkasniff.tcp.packets.ip import TCP
from kafkasniff.tcp.packets.link import IPV4, IPV6

Connections = NDArray[np.uint64]

_ETHERTYPE_AT = {1: 12, 113: 14, 276: 0}
"""By LINKTYPE_ number (https://www.tcpdump.org/linktypes.html), where the EtherType stands; others have none."""
_NETWORK_AT = {1: 14, 113: 16, 276: 20, 0: 4, 108: 4, 12: 0, 14: 0, 101: 0, 228: 0, 229: 0}
"""By LINKTYPE_ number, where the IP header begins, if no VLAN tag comes before it."""
_VLAN_TAG = 0x8100
_BY_VERSION = np.zeros(16, np.int64)
_BY_VERSION[[4, 6]] = IPV4, IPV6

_IPV4 = np.dtype(
    {
        "names": ["first", "length", "fragment", "protocol", "addresses", "ports", "header"],
        "formats": ["u1", ">u2", ">u2", "u1", "(2,1)>u4", "(2,)>u2", "u1"],
        "offsets": [0, 2, 6, 9, 12, 20, 32],
    }
)
_IPV6 = np.dtype(
    {
        "names": ["first", "length", "protocol", "addresses", "ports", "header"],
        "formats": ["u1", ">u2", "u1", "(2,4)>u4", "(2,)>u2", "u1"],
        "offsets": [0, 4, 6, 8, 40, 52],
    }
)
"""Fields from the beginning of the IP header on, those of TCP with them (RFC 791, 8200, 9293)."""
_IPV4_HEADER, _IPV6_HEADER, _TCP_HEADER = 20, 40, 20
"""Bytes of the headers, of TCP the fewest."""

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""An odd number near to 2^64 divided by the golden ratio: Knuth's multiplicative hashing."""


class PacketKeys(NamedTuple):
    """A row for each packet of a batch; what it says means something where `usual` is true."""

    usual: Marks
    """Whether the packet is a segment that is read here."""
    connections: Connections
    """A number that both directions of a connection have, and perhaps other connections."""
    payload: Numbers
    """Position of the payload in the batch's buffer."""
    length: Numbers
    """Bytes of the payload that were captured."""
    downward: Marks
    """Whether the source's port is not lower than the destination's, as that of a client is."""


def read_keys(batch: PacketBatch) -> PacketKeys:
    """Read the headers of all packets of a batch."""
    count = len(batch)
    usual, downward = np.zeros((2, count), np.bool_)
    connections, (payload, length) = np.zeros(count, np.uint64), np.zeros((2, count), np.int64)
    at = np.frombuffer(batch.offsets, np.int64)
    ends = at + np.frombuffer(batch.captured, np.int64)
    ethertypes, networks = _find_networks(batch, at)
    for ethertype, layout in ((IPV4, _IPV4), (IPV6, _IPV6)):
        rows = np.flatnonzero(ethertypes == ethertype)
        if not len(rows):
            continue
        headers = _gather(batch.data, networks[rows], layout)
        tcp_header, total = (headers["header"].astype(np.int64) >> 4) * 4, headers["length"].astype(np.int64)
        found = (headers["protocol"] == TCP) & (tcp_header >= _TCP_HEADER)
        if ethertype == IPV4:
            found &= (headers["first"] == 0x45) & (headers["fragment"] & 0x3FFF == 0)
            begin, sent = networks[rows] + _IPV4_HEADER + tcp_header, total - _IPV4_HEADER - tcp_header
        else:
            found &= headers["first"] >> 4 == 6
            begin, sent = networks[rows] + _IPV6_HEADER + tcp_header, total - tcp_header
        usual[rows] = found & (sent >= 0) & (begin <= ends[rows])
        connections[rows] = _numbers(headers["addresses"], headers["ports"])
        payload[rows], length[rows] = begin, np.minimum(sent, ends[rows] - begin)
        downward[rows] = headers["ports"][:, 0] >= headers["ports"][:, 1]
    return PacketKeys(usual, connections, payload, length, downward)


def connection_number(ends: bytes) -> int:
    """Give the number that `read_keys` has for a connection, from both addresses and ports as they stand in headers."""
    addresses = np.frombuffer(ends[:-4], ">u4").reshape(1, 2, -1)
    return int(_numbers(addresses, np.frombuffer(ends[-4:], ">u2").reshape(1, 2))[0])


def _numbers(addresses: NDArray[np.uint32], ports: NDArray[np.uint16]) -> Connections:
    """Give numbers of connections, from the words of both addresses and both ports of each."""
    ends = ports.astype(np.uint64) * _FACTOR
    for word in range(addresses.shape[2]):
        ends = (ends ^ addresses[:, :, word]) * _FACTOR
        ends ^= ends >> np.uint64(32)
    # The sum is the same in both directions.
    numbers: Connections = ends.sum(axis=1)
    return numbers


def _find_networks(batch: PacketBatch, at: Numbers) -> tuple[Numbers, Numbers]:
    """Give for each packet the EtherType, 0 where that is not known, and where IP begins; both maybe behind its end."""
    link_types = np.array([each.link_type for each in batch.interfaces], np.int64)
    of_packets = link_types[np.frombuffer(batch.interface_ids, np.int64)]
    ethertypes, networks = np.zeros(len(at), np.int64), at.copy()
    for link_type in _NETWORK_AT.keys() & set(link_types.tolist()):
        rows = np.flatnonzero(of_packets == link_type)
        network = at[rows] + _NETWORK_AT[link_type]
        if link_type in _ETHERTYPE_AT:
            ethertype = _u16(batch.data, at[rows] + _ETHERTYPE_AT[link_type])
            tagged = ethertype == _VLAN_TAG
            if tagged.any():
                ethertype = np.where(tagged, _u16(batch.data, network + 2), ethertype)
                network += 4 * tagged
        else:
            ethertype = _BY_VERSION[_u16(batch.data, network) >> 12]
        ethertypes[rows], networks[rows] = ethertype, network
    return ethertypes, networks


def _u16(data: bytes, at: Numbers) -> Numbers:
    return _gather(data, at, np.dtype(">u2")).astype(np.int64)


def _gather(data: bytes, at: Numbers, layout: np.dtype[Any]) -> NDArray[Any]:
    """Copy what stands at each position; of those too near to the buffer's end something else."""
    last = len(data) - layout.itemsize
    if last < 0:
        return np.zeros(len(at), layout)
    everywhere = np.ndarray((last + 1,), f"V{layout.itemsize}", data, 0, (1,))
    return everywhere[np.minimum(at, last)].view(layout)
