"""Spoiled messages and captures, drawn by a seed."""

import gzip
from array import array
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from random import Random
from typing import Literal, NamedTuple

from kafkasniff.capture.packets import Interface, PacketBatch
from tests.robustness.conversations import Message, combine, compose, vectors
from tests.robustness.damage import ROWS
from tests.robustness.packets import ETHERNET, encode, pcap, pcapng, transmit

EXTREMES = [
    b"\x7f\xff\xff\xff",
    b"\x80\0\0\0",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\xfe",
    b"\0\0\0\0",
    b"\0\x0f\xff\xff",
    b"\x7f\xff",
    b"\x80\0",
    b"\xff" * 11,
    b"\x80" * 4 + b"\x0f",
    b"\0",
    b"\xff",
]
"""Lengths, counts and varints that tempt a reader: largest, negative, endless."""

LINK_TYPES = [0, 1, 12, 101, 108, 113, 228, 229, 276]
"""LINKTYPE_ numbers of what the capture layer should read: a packet of one under the name of another."""


def _flip(data: bytearray, rng: Random) -> None:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _set(data: bytearray, rng: Random) -> None:
    data[rng.randrange(len(data))] = rng.choice((0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF))


def _overwrite(data: bytearray, rng: Random) -> None:
    extreme = rng.choice(EXTREMES)
    at = rng.randrange(len(data))
    data[at : at + len(extreme)] = extreme


def _insert(data: bytearray, rng: Random) -> None:
    at = rng.randrange(len(data))
    data[at:at] = rng.choice((*EXTREMES, rng.randbytes(rng.randrange(1, 9))))


def _delete(data: bytearray, rng: Random) -> None:
    at = rng.randrange(len(data))
    del data[at : at + rng.randrange(1, 9)]


def _cut(data: bytearray, rng: Random) -> None:
    del data[rng.randrange(len(data)) :]


def _repeat(data: bytearray, rng: Random) -> None:
    at = rng.randrange(len(data))
    data[at:at] = data[at : at + rng.randrange(1, 40)] * rng.randrange(1, 4)


SPOILERS: list[Callable[[bytearray, Random], None]] = [_flip, _set, _overwrite, _insert, _delete, _cut, _repeat]


def spoil(data: bytes, rng: Random) -> bytes:
    """Spoil bytes in one to four places."""
    out = bytearray(data)
    for _ in range(rng.randrange(1, 5)):
        if out:
            rng.choice(SPOILERS)(out, rng)
    return bytes(out)


class SpoiledBody(NamedTuple):
    """A body that was spoiled, or one that is read as another version or API than it is."""

    api_key: int
    api_version: int
    side: Literal["request", "response"]
    data: bytes


@cache
def messages() -> list[Message]:
    """Give the message of every vector row."""
    return [
        message
        for requests, responses in vectors()
        for request, response in zip(requests, responses, strict=False)
        for call in [combine(request, response, 7)]
        for message in (call.request, call.response)
        if message is not None
    ]


def spoiled_body(rng: Random) -> SpoiledBody:
    """Draw a body and spoil it."""
    message = rng.choice(messages())
    body = message.frame[message.header_end :]
    key, version = message.api_key, message.api_version
    kind = rng.randrange(10)
    if kind == 0:
        other = rng.choice(messages())
        key, version = other.api_key, other.api_version
    elif kind == 1:
        version += rng.choice((-1, 1))
    if kind < 2 and rng.random() < 0.5:
        return SpoiledBody(key, version, message.side, body)
    return SpoiledBody(key, version, message.side, spoil(body, rng))


def spoiled_capture(rng: Random, large: bool = False) -> list[PacketBatch]:
    """Compose a small capture, damage it like one of the rows, and spoil the bytes of some packets and columns.

    A `large` one has several hundred packets in few batches.
    """
    row = rng.choice(ROWS)
    calls = rng.randrange(5, 20) if large else rng.randrange(1, 4)
    style = rng.choice(("idle", "busy"))
    connections = rng.randrange(2, 8) if large else rng.randrange(1, 3)
    conversations = compose(rng, connections=connections, calls=calls, ipv6=rng.random() < 0.2, style=style)
    packets = transmit(
        conversations, rng, segment_size=rng.choice((40, 1448)), close=rng.choice(("fin", "rst", "open"))
    )
    if len(packets) > 60 and not large:
        packets = packets[: rng.randrange(20, 60)]
    # Some rows need more packets than there are; these are spoiled below all the same.
    with suppress(IndexError, ValueError):
        packets = row.damage(packets, rng)
    raw = [(packet.time, *encode(packet)) for packet in packets]
    share = rng.choice((0, 0.002, 0.02) if large else (0, 0.05, 0.5))
    # Most damage should get past the link and IP headers, so payloads are spoiled more often than whole packets.
    start = rng.choice((0, 14, 34, 66, 66))
    raw = [
        (time, data[:start] + spoil(data[start:], rng), original) if rng.random() < share else (time, data, original)
        for time, data, original in raw
    ]
    link_type = rng.choice(LINK_TYPES) if rng.random() < 0.1 else ETHERNET
    size = rng.choice((300, 1 << 20) if large else (1, 5, 1000))
    interfaces = [Interface("spoiled.pcap", link_type, 9)]
    return [_batch(raw[first : first + size], first + 1, interfaces, rng) for first in range(0, len(raw), size)]


def spoiled_file(rng: Random) -> bytes:
    """Write a small pcap or pcapng file, packed with gzip or not, and spoil its bytes; mostly its headers."""
    conversations = compose(rng, connections=1, calls=2)
    data = rng.choice((pcap, pcapng))(transmit(conversations, rng))
    begin, end = rng.choice(((0, 200), (0, 200), (64, len(data))))
    data = data[:begin] + spoil(data[begin:end], rng) + data[end:]
    if rng.random() < 0.2:
        data = gzip.compress(data, 1)
        return spoil(data, rng) if rng.random() < 0.5 else data
    return data


def _batch(
    raw: list[tuple[int, bytes, int]], first_packet: int, interfaces: list[Interface], rng: Random
) -> PacketBatch:
    offsets, position = array("q"), 0
    for _, data, _ in raw:
        offsets.append(position)
        position += len(data)
    times = array("q", [time for time, _, _ in raw])
    if rng.random() < 0.02:
        times[rng.randrange(len(times))] = rng.choice((0, 1, (1 << 63) - 1))
    return PacketBatch(
        data=b"".join(data for _, data, _ in raw),
        first_packet=first_packet,
        offsets=offsets,
        captured=array("q", [len(data) for _, data, _ in raw]),
        original=array("q", [max(original, len(data)) for _, data, original in raw]),
        times=times,
        interface_ids=array("q", bytes(8 * len(raw))),
        interfaces=interfaces,
    )
