"""The headers of a batch's packets as columns: NumPy gathers at once what plain code reads packet by packet.

Only segments of the common shapes are read here: Ethernet (with a VLAN tag), cooked captures, raw IP and loopback;
IPv4 without options or IPv6 without extension headers; TCP, captured in full. All others are left to `SegmentReader`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kafkasniff.capture.packets import PacketBatch
from kafkasniff.tcp.ip import TCP
from kafkasniff.tcp.link import IPV4, IPV6

Numbers = NDArray[np.int64]
Endpoints = NDArray[np.uint64]
Marks = NDArray[np.bool_]

BLOCK_PACKETS = 16_384
"""Packets whose headers are gathered at once: more of them fall out of the processor's cache."""

_ETHERTYPE_AT = {1: 12, 113: 14, 276: 0}
"""By LINKTYPE_ number, as in `link`: where the EtherType stands …"""
_NETWORK_AT = {1: 14, 113: 16, 276: 20, 0: 4, 108: 4, 12: 0, 14: 0, 101: 0, 228: 0, 229: 0}
"""… and the IP header, if no VLAN tag comes before it."""
_VLAN_TAG = 0x8100
_SHORTEST = 40
"""Bytes of the headers of IPv4 and TCP."""
_UNKNOWN = -1

# Fields from the beginning of the IP header on.
_IPV4_HEADERS = np.dtype(
    {
        "names": ["version", "length", "fragment", "protocol", "source", "destination", "tcp"],
        "formats": ["u1", ">u2", ">u2", "u1", "<u4", "<u4", "V16"],
        "offsets": [0, 2, 6, 9, 12, 16, 20],
        "itemsize": 36,
    }
)
_IPV6_HEADERS = np.dtype(
    {
        "names": ["version", "length", "protocol", "source", "destination", "tcp"],
        "formats": ["u1", ">u2", "u1", "(2,)<u8", "(2,)<u8", "V16"],
        "offsets": [0, 4, 6, 8, 24, 40],
        "itemsize": 56,
    }
)
_TCP_HEADER = np.dtype(
    {
        "names": ["source", "destination", "sequence", "acknowledgement", "header", "flags", "window"],
        "formats": ["<u2", "<u2", ">u4", ">u4", "u1", "u1", ">u2"],
        "offsets": [0, 2, 4, 8, 12, 13, 14],
        "itemsize": 16,
    }
)
_ODD_FACTORS = [np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0x165667B19E3779F9)]


class SegmentColumns(NamedTuple):
    """One row for each packet of a batch; the numbers mean something where `common` is true."""

    common: Marks
    """Whether the packet holds a TCP segment of a common shape."""
    key_at: Numbers
    """Position of source and destination address in the buffer, which the ports and the TCP header follow."""
    key_length: Numbers
    """Bytes of both addresses and ports."""
    sequence: Numbers
    acknowledgement: Numbers
    flags: Numbers
    window: Numbers
    payload: Numbers
    """Position of the payload in the buffer."""
    length: Numbers
    """Bytes of the payload."""
    source: Endpoints
    """A number made of the source's address and port, which only IPv6 endpoints may share with others."""
    destination: Endpoints


def selection(rows: Numbers) -> slice | Numbers:
    """Give what selects rows in ascending order: without copies where none between them is left out."""
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1:
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows


def read_columns(batch: PacketBatch) -> SegmentColumns:
    """Read the headers of all packets of a batch."""
    if len(batch.data) < _SHORTEST:
        return _empty(len(batch))
    blocks = [
        _read_block(batch, start, min(start + BLOCK_PACKETS, len(batch)))
        for start in range(0, len(batch), BLOCK_PACKETS)
    ]
    if len(blocks) == 1:
        return blocks[0]
    return SegmentColumns(*(np.concatenate(column) for column in zip(*blocks, strict=True)))


def _read_block(batch: PacketBatch, start: int, end: int) -> SegmentColumns:
    at = np.frombuffer(batch.offsets, np.int64)[start:end]
    captured_end = at + np.frombuffer(batch.captured, np.int64)[start:end]
    interface_ids = np.frombuffer(batch.interface_ids, np.int64)[start:end]
    ethertype, network = _find_network(batch, at, captured_end, interface_ids)
    columns = _empty(end - start)
    for version, read in ((IPV4, _read_ipv4), (IPV6, _read_ipv6)):
        rows = np.flatnonzero(ethertype == version)
        if len(rows) == len(at):
            rows = slice(None)  # type: ignore[assignment]
        elif not len(rows):
            continue
        for column, values in zip(columns, read(batch.data, network[rows], captured_end[rows]), strict=True):
            column[rows] = values
    return columns


def _empty(size: int) -> SegmentColumns:
    key_at, key_length, sequence, acknowledgement, flags, window, payload, length = np.zeros((8, size), np.int64)
    source, destination = np.zeros((2, size), np.uint64)
    common = np.zeros(size, np.bool_)
    return SegmentColumns(
        common, key_at, key_length, sequence, acknowledgement, flags, window, payload, length, source, destination
    )


def _find_network(batch: PacketBatch, at: Numbers, end: Numbers, interface_ids: Numbers) -> tuple[Numbers, Numbers]:
    """Give the EtherType (`_UNKNOWN` where another link layer than the common ones stands) and where IP begins."""
    link_types = [interface.link_type for interface in batch.interfaces]
    used = {link_types[number] for number in np.flatnonzero(np.bincount(interface_ids)).tolist()}
    types = np.array(link_types, np.int64)[interface_ids]
    ethertype = np.full(len(at), _UNKNOWN, np.int64)
    network = at.copy()
    for link_type in used & _NETWORK_AT.keys():
        rows = np.flatnonzero(types == link_type)
        header = at[rows] + _NETWORK_AT[link_type]
        if link_type in _ETHERTYPE_AT:
            found = _u16(batch.data, at[rows] + _ETHERTYPE_AT[link_type])
            tagged = found == _VLAN_TAG
            if tagged.any():
                found = np.where(tagged, _u16(batch.data, header + 2), found)
                header = header + 4 * tagged
        else:
            versions = np.frombuffer(batch.data, np.uint8)[np.minimum(header, len(batch.data) - 1)] >> 4
            found = np.select([versions == 4, versions == 6], [IPV4, IPV6], _UNKNOWN)
        ethertype[rows] = np.where(header < end[rows], found, _UNKNOWN)
        network[rows] = header
    return ethertype, network


def _read_ipv4(data: bytes, at: Numbers, end: Numbers) -> SegmentColumns:
    ip = gather(data, at, _IPV4_HEADERS)
    tcp = ip["tcp"].copy().view(_TCP_HEADER)
    total = ip["length"].astype(np.int64)
    header = (tcp["header"].astype(np.int64) >> 4) * 4
    common = (ip["version"] == 0x45) & (ip["protocol"] == TCP) & (ip["fragment"] & 0x3FFF == 0)
    common &= (header >= 20) & (total >= 20 + header) & (at + total <= end)
    source, destination = (_ipv4_numbers(ip[side], tcp[side]) for side in ("source", "destination"))
    return _columns(tcp, common, at + 12, 12, at + 20 + header, total - 20 - header, source, destination)


def _read_ipv6(data: bytes, at: Numbers, end: Numbers) -> SegmentColumns:
    ip = gather(data, at, _IPV6_HEADERS)
    tcp = ip["tcp"].copy().view(_TCP_HEADER)
    total = ip["length"].astype(np.int64)
    header = (tcp["header"].astype(np.int64) >> 4) * 4
    common = (ip["version"] >> 4 == 6) & (ip["protocol"] == TCP)
    common &= (header >= 20) & (total >= header) & (at + 40 + total <= end)
    source, destination = (_ipv6_numbers(ip[side], tcp[side]) for side in ("source", "destination"))
    return _columns(tcp, common, at + 8, 36, at + 40 + header, total - header, source, destination)


def _columns(
    tcp: NDArray[np.void],
    common: Marks,
    key_at: Numbers,
    key_length: int,
    payload: Numbers,
    length: Numbers,
    source: Endpoints,
    destination: Endpoints,
) -> SegmentColumns:
    return SegmentColumns(
        common,
        key_at,
        np.full(len(key_at), key_length, np.int64),
        tcp["sequence"].astype(np.int64),
        tcp["acknowledgement"].astype(np.int64),
        tcp["flags"].astype(np.int64),
        tcp["window"].astype(np.int64),
        payload,
        length,
        source,
        destination,
    )


def endpoint_number(address: bytes, port: bytes) -> np.uint64:
    """Give the number that the columns have for an endpoint, from its address and port as they stand in headers."""
    ports = np.frombuffer(port, "<u2")
    if len(address) == 4:
        numbers = _ipv4_numbers(np.frombuffer(address, "<u4"), ports)
    else:
        numbers = _ipv6_numbers(np.frombuffer(address, "<u8").reshape(1, 2), ports)
    number: np.uint64 = numbers[0]
    return number


def _ipv4_numbers(addresses: NDArray[np.uint32], ports: NDArray[np.uint16]) -> Endpoints:
    # Each step can be undone, so that no two endpoints get the same number.
    numbers = addresses.astype(np.uint64) << np.uint64(16)
    numbers |= ports
    numbers *= _ODD_FACTORS[0]
    numbers ^= numbers >> np.uint64(32)
    numbers *= _ODD_FACTORS[1]
    return numbers


def _ipv6_numbers(addresses: NDArray[np.uint64], ports: NDArray[np.uint16]) -> Endpoints:
    numbers = addresses[:, 0] * _ODD_FACTORS[0]
    numbers ^= numbers >> np.uint64(29)
    numbers += addresses[:, 1]
    numbers *= _ODD_FACTORS[1]
    numbers ^= numbers >> np.uint64(32)
    numbers += ports
    numbers *= _ODD_FACTORS[2]
    return numbers


def gather(data: bytes, at: Numbers, layout: np.dtype[np.void]) -> NDArray[np.void]:
    """Copy the bytes of `layout` at each position; what lies too near to the buffer's end is garbage."""
    last = len(data) - layout.itemsize
    if last < 0:
        return np.zeros(len(at), layout)
    everywhere = np.ndarray((last + 1,), f"V{layout.itemsize}", data, 0, (1,))
    return everywhere[np.minimum(at, last)].view(layout)


def _u16(data: bytes, at: Numbers) -> Numbers:
    last = len(data) - 2
    everywhere = np.ndarray((last + 1,), ">u2", data, 0, (1,))
    return everywhere[np.minimum(at, last)].astype(np.int64)
