"""What captures suffer, one row each: functions from the packets of a healthy capture to those of a damaged one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from tests.robustness.packets import ACK, FIN, RST, Packet, header_length

Damage = Callable[[list[Packet], Random], list[Packet]]

WINDOW = 12
"""Packets within which `shuffled` moves a packet."""


def _restamped(packets: Sequence[Packet]) -> list[Packet]:
    """Give the packets in the same order with times that rise: a capture stamps packets as they arrive."""
    times = sorted(packet.time for packet in packets)
    return [replace(packet, time=time) for packet, time in zip(packets, times, strict=True)]


def _conversations(packets: Sequence[Packet]) -> dict[int, list[Packet]]:
    grouped: dict[int, list[Packet]] = {}
    for packet in packets:
        grouped.setdefault(packet.conversation, []).append(packet)
    return grouped


def _without(packets: Sequence[Packet], lost: set[Packet]) -> list[Packet]:
    return [packet for packet in packets if packet not in lost]


def _data(packets: Sequence[Packet], direction: int) -> list[Packet]:
    return [packet for packet in packets if packet.payload and packet.direction == direction]


def intact(packets: list[Packet], rng: Random) -> list[Packet]:
    """Leave everything as it is."""
    return packets


def handshake_lost(packets: list[Packet], rng: Random) -> list[Packet]:
    """Begin each connection behind its handshake."""
    lost: set[Packet] = set()
    for own in _conversations(packets).values():
        lost.update(own[:3])
    return _without(packets, lost)


def starts_mid_stream(packets: list[Packet], rng: Random) -> list[Packet]:
    """Begin each connection at a packet near its middle."""
    lost: set[Packet] = set()
    for own in _conversations(packets).values():
        lost.update(own[: len(own) // 2 + rng.randrange(-3, 4)])
    return _without(packets, lost)


def starts_mid_message(packets: list[Packet], rng: Random) -> list[Packet]:
    """Begin each connection behind the first segment of a message of several segments."""
    lost: set[Packet] = set()
    for own in _conversations(packets).values():
        full = max(len(packet.payload) for packet in own)
        inside = [number for number, packet in enumerate(own) if len(packet.payload) == full]
        middle = [number for number in inside if number > len(own) // 4] or inside
        lost.update(own[: middle[0] + 1])
    return _without(packets, lost)


def one_lost_segment(packets: list[Packet], rng: Random) -> list[Packet]:
    """Lose one segment of each direction of each connection; its receiver had it."""
    lost = set()
    for own in _conversations(packets).values():
        for direction in (0, 1):
            data = _data(own, direction)
            lost.add(data[rng.randrange(len(data) // 4, 3 * len(data) // 4)])
    return _without(packets, lost)


def many_lost_segments(packets: list[Packet], rng: Random) -> list[Packet]:
    """Lose 3 % of the segments."""
    return [packet for packet in packets if not packet.payload or rng.random() >= 0.03]


def bursts_lost(packets: list[Packet], rng: Random) -> list[Packet]:
    """Lose three runs of up to 12 packets of each connection."""
    lost: set[Packet] = set()
    for own in _conversations(packets).values():
        for _ in range(3):
            begin = rng.randrange(len(own) // 6, len(own) - 12)
            lost.update(own[begin : begin + rng.randrange(3, 13)])
    return _without(packets, lost)


def lost_inside_large_messages(packets: list[Packet], rng: Random) -> list[Packet]:
    """Lose a segment from the inside of messages of several segments: their sizes stay known."""
    lost = set()
    for own in _conversations(packets).values():
        for direction in (0, 1):
            data = _data(own, direction)
            full = max(len(packet.payload) for packet in data)
            run: list[Packet] = []
            for packet in data:
                if len(packet.payload) == full:
                    run.append(packet)
                    continue
                if len(run) >= 4:
                    lost.add(rng.choice(run[2:-1]))
                run = []
    return _without(packets, lost)


def swapped(packets: list[Packet], rng: Random) -> list[Packet]:
    """Swap one pair of neighbours in five."""
    out = list(packets)
    position = 0
    while position + 1 < len(out):
        if rng.random() < 0.2:
            out[position], out[position + 1] = out[position + 1], out[position]
            position += 1
        position += 1
    return _restamped(out)


def shuffled(packets: list[Packet], rng: Random) -> list[Packet]:
    """Move every packet by up to `WINDOW` places."""
    places = {packet: number + rng.random() * WINDOW for number, packet in enumerate(packets)}
    return _restamped(sorted(packets, key=places.__getitem__))


def late(packets: list[Packet], rng: Random) -> list[Packet]:
    """Let 2 % of the segments come 50 packets late."""
    places = {
        packet: number + (50.5 if packet.payload and rng.random() < 0.02 else 0)
        for number, packet in enumerate(packets)
    }
    return _restamped(sorted(packets, key=places.__getitem__))


def _repeat(packets: list[Packet], rng: Random, share: float, again: Callable[[Packet], Packet]) -> list[Packet]:
    """Insert `again(packet)` a few packets behind a share of the segments."""
    keyed = [(float(number), packet) for number, packet in enumerate(packets)]
    for number, packet in enumerate(packets):
        if packet.payload and rng.random() < share:
            keyed.append((number + rng.randrange(1, 15) + 0.5, again(packet)))
    keyed.sort(key=lambda pair: pair[0])
    return _restamped([packet for _, packet in keyed])


def _piece(packet: Packet, begin: int, end: int) -> Packet:
    """Give a segment of the bytes from `begin` to `end` of this one."""
    seq = (packet.seq + begin) & 0xFFFFFFFF
    return replace(packet, seq=seq, offset=packet.offset + begin, payload=packet.payload[begin:end])


def retransmitted(packets: list[Packet], rng: Random) -> list[Packet]:
    """Send a fifth of the segments again."""
    return _repeat(packets, rng, 0.2, replace)


def retransmitted_in_part(packets: list[Packet], rng: Random) -> list[Packet]:
    """Send a part of a fifth of the segments again."""

    def part(packet: Packet) -> Packet:
        begin = rng.randrange(len(packet.payload))
        return _piece(packet, begin, rng.randrange(begin, len(packet.payload)) + 1)

    return _repeat(packets, rng, 0.2, part)


def retransmitted_with_other_bytes(packets: list[Packet], rng: Random) -> list[Packet]:
    """Send a fifth of the segments again with other bytes: the first seen win."""

    def other(packet: Packet) -> Packet:
        return replace(packet, payload=rng.randbytes(len(packet.payload)), true=False)

    return _repeat(packets, rng, 0.2, other)


def overlapping(packets: list[Packet], rng: Random) -> list[Packet]:
    """Lose every tenth segment of each direction, and fill the hole by a segment that overlaps both neighbours."""
    lost: set[Packet] = set()
    fillers: dict[Packet, Packet] = {}
    for own in _conversations(packets).values():
        for direction in (0, 1):
            data = _data(own, direction)
            for before, hole, after in zip(data[4::10], data[5::10], data[6::10], strict=False):
                lost.add(hole)
                head = before.payload[rng.randrange(len(before.payload)) :]
                tail = after.payload[: rng.randrange(1, len(after.payload) + 1)]
                fillers[after] = replace(
                    hole,
                    payload=head + hole.payload + tail,
                    seq=(hole.seq - len(head)) & 0xFFFFFFFF,
                    offset=hole.offset - len(head),
                    time=after.time,
                )
    out = []
    for packet in _without(packets, lost):
        out.append(packet)
        if packet in fillers:
            out.append(fillers[packet])
    return out


def keep_alives(packets: list[Packet], rng: Random) -> list[Packet]:
    """Put keep-alive segments (RFC 9293, 3.8.4: one byte, just before the next one) behind some acknowledgements."""
    out = []
    latest: dict[tuple[int, int], Packet] = {}
    for packet in packets:
        out.append(packet)
        if packet.payload:
            latest[packet.conversation, packet.direction] = packet
        last = latest.get((packet.conversation, 1 - packet.direction))
        if packet.flags == ACK and not packet.payload and last and rng.random() < 0.3:
            probe = replace(
                _piece(last, len(last.payload) - 1, len(last.payload)), time=packet.time + 1, ack=packet.seq
            )
            out.append(replace(probe, payload=b"\0", true=False))
            out.append(replace(packet, time=packet.time + 2))
    return out


def each_twice(packets: list[Packet], rng: Random) -> list[Packet]:
    """Capture each packet twice, as a mirror of both sides of a switch port does."""
    return [replace(packet, time=packet.time + again) for packet in packets for again in (0, 2)]


def cut_at_96(packets: list[Packet], rng: Random) -> list[Packet]:
    """Keep 96 bytes of each packet."""
    return [replace(packet, snap_length=96) for packet in packets]


def cut_at_256(packets: list[Packet], rng: Random) -> list[Packet]:
    """Keep 256 bytes of each packet."""
    return [replace(packet, snap_length=256) for packet in packets]


def requests_only(packets: list[Packet], rng: Random) -> list[Packet]:
    """Capture only what the client sends."""
    return [packet for packet in packets if packet.direction == 0]


def responses_only(packets: list[Packet], rng: Random) -> list[Packet]:
    """Capture only what the server sends."""
    return [packet for packet in packets if packet.direction == 1]


def _ended_in_message(packets: list[Packet], flags: int) -> list[Packet]:
    lost: set[Packet] = set()
    ends = {}
    for own in _conversations(packets).values():
        full = max(len(packet.payload) for packet in own)
        inside = [number for number, packet in enumerate(own) if len(packet.payload) == full and number > len(own) // 2]
        stop = inside[0] if inside else len(own) // 2
        last = own[stop]
        lost.update(own[stop + 1 :])
        seq = (last.seq + len(last.payload)) & 0xFFFFFFFF
        ends[last] = replace(last, payload=b"", seq=seq, offset=last.end, flags=flags, time=last.time + 1)
    out = []
    for packet in _without(packets, lost):
        out.append(packet)
        if packet in ends:
            out.append(ends[packet])
    return out


def fin_in_message(packets: list[Packet], rng: Random) -> list[Packet]:
    """End each connection by a FIN inside a message."""
    return _ended_in_message(packets, FIN | ACK)


def rst_in_message(packets: list[Packet], rng: Random) -> list[Packet]:
    """End each connection by a RST inside a message."""
    return _ended_in_message(packets, RST | ACK)


def backward_clock(packets: list[Packet], rng: Random) -> list[Packet]:
    """Let the clock jump back by up to half a second every 40 packets; the packets keep their order."""
    out, shift = [], 0
    for number, packet in enumerate(packets):
        if number % 40 == 39:
            shift -= rng.randrange(500_000_000)
        out.append(replace(packet, time=packet.time + shift))
    return out


def merged_from_two_clocks(packets: list[Packet], rng: Random) -> list[Packet]:
    """Merge, by time, the captures of both directions, of which that of the responses has a clock 5 ms behind."""
    early = [replace(one, time=one.time - 5_000_000) if one.direction else one for one in packets]
    return sorted(early, key=lambda one: one.time)


def two_interfaces(packets: list[Packet], rng: Random) -> list[Packet]:
    """See each packet on two interfaces, on the second one a few packets later."""
    keyed = [(float(number), packet) for number, packet in enumerate(packets)]
    keyed += [(number + rng.randrange(4) + 0.5, replace(packet, interface=1)) for number, packet in enumerate(packets)]
    keyed.sort(key=lambda pair: pair[0])
    return _restamped([packet for _, packet in keyed])


def offloaded(packets: list[Packet], rng: Random) -> list[Packet]:
    """Write IP total length 0, as captures before segmentation offload do with packets of up to 64 KB."""
    return [replace(packet, zero_total_length=True) for packet in packets]


def wrong_checksums(packets: list[Packet], rng: Random) -> list[Packet]:
    """Get IP and TCP checksums wrong, as captures before checksum offload do."""
    return [replace(packet, wrong_checksums=True) for packet in packets]


def fragmented(packets: list[Packet], rng: Random) -> list[Packet]:
    """Send each larger packet in IP fragments that arrive out of order, among other packets and their fragments."""
    keyed = []
    for number, packet in enumerate(packets):
        whole = header_length(packet) - 14 - (40 if ":" in packet.source[0] else 20) + len(packet.payload)
        if whole <= 552:
            keyed.append((number + 0.0, packet))
            continue
        for begin in range(0, whole, 544):
            piece = replace(packet, fragment=(number + 1, begin, min(begin + 544, whole)))
            keyed.append((number + rng.random() * WINDOW / 2, piece))
    keyed.sort(key=lambda pair: pair[0])
    return _restamped([packet for _, packet in keyed])


def one_in_ten_lost(packets: list[Packet], rng: Random) -> list[Packet]:
    """Lose 10 % of the segments."""
    return [packet for packet in packets if not packet.payload or rng.random() >= 0.1]


def several(*damages: Damage) -> Damage:
    """Do several damages, one after the other."""

    def damage(packets: list[Packet], rng: Random) -> list[Packet]:
        for each in damages:
            packets = each(packets, rng)
        return packets

    return damage


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of damage, and the traffic it is done to."""

    name: str
    damage: Damage
    traffic: dict[str, Any] = field(default_factory=dict)
    """Arguments of `compose` beside the numbers of connections and calls."""
    segments: dict[str, Any] = field(default_factory=dict)
    """Arguments of `transmit`."""


LARGE = {"large_every": 7}
HUGE = {"large_every": 4, "large_size": 150_000}

ROWS = [
    Row("intact", intact, LARGE),
    Row("intact, IPv6", intact, {"ipv6": True, **LARGE}),
    Row("intact, connections stay open", intact, LARGE, {"close": "open"}),
    Row("intact, small segments", intact, {}, {"segment_size": 7}),
    Row("handshake not captured", handshake_lost, LARGE),
    Row("start in mid-stream, idle", starts_mid_stream, {"style": "idle"}),
    Row("start in mid-stream, busy", starts_mid_stream, LARGE),
    Row("start in mid-message, idle", starts_mid_message, {"style": "idle", **LARGE}),
    Row("start in mid-message, busy", starts_mid_message, LARGE),
    Row("one lost segment per direction, idle", one_lost_segment, {"style": "idle"}),
    Row("one lost segment per direction, busy", one_lost_segment, LARGE),
    Row("3 % of segments lost", many_lost_segments, LARGE),
    Row("bursts lost", bursts_lost, LARGE),
    Row("lost inside large messages", lost_inside_large_messages, {"large_every": 4}),
    Row("neighbours swapped", swapped, LARGE),
    Row("shuffled within 12 packets", shuffled, LARGE),
    Row("50 packets late", late, LARGE),
    Row("retransmitted whole", retransmitted, LARGE),
    Row("retransmitted in part", retransmitted_in_part, LARGE),
    Row("retransmitted with other bytes", retransmitted_with_other_bytes, LARGE),
    Row("overlapping retransmissions fill holes", overlapping, LARGE),
    Row("keep-alive bytes", keep_alives, {"style": "idle", **LARGE}),
    Row("each packet twice", each_twice, LARGE),
    Row("cut at 96 bytes, idle", cut_at_96, {"style": "idle", **LARGE}),
    Row("cut at 96 bytes, busy", cut_at_96, LARGE),
    Row("cut at 256 bytes, idle", cut_at_256, {"style": "idle", **LARGE}),
    Row("cut at 256 bytes, busy", cut_at_256, LARGE),
    Row("requests only", requests_only, LARGE),
    Row("responses only", responses_only, LARGE),
    Row("FIN in mid-message", fin_in_message, LARGE),
    Row("RST in mid-message", rst_in_message, LARGE),
    Row("4-tuple used again after FIN", intact, {"reuse": True, **LARGE}),
    Row("4-tuple used again without an end", intact, {"reuse": True, **LARGE}, {"close": "open"}),
    Row("clock steps backwards", backward_clock, LARGE),
    Row("directions merged from two clocks", merged_from_two_clocks, LARGE),
    Row("two interfaces see each packet", two_interfaces, LARGE),
    Row(
        "segmentation offload, total length 0",
        offloaded,
        HUGE,
        {"segment_size": 65_160},
    ),
    Row("wrong checksums", wrong_checksums, LARGE),
    Row("IP fragments out of order", fragmented, LARGE),
    Row("IPv6 fragments out of order", fragmented, {"ipv6": True, **LARGE}),
    Row("fragments out of order, each twice", several(fragmented, each_twice), LARGE),
    Row("10 % of segments lost", one_in_ten_lost, LARGE),
    Row("3 % of small segments lost", many_lost_segments, {}, {"segment_size": 40}),
    Row(
        "3 % lost, others repeated with other bytes", several(many_lost_segments, retransmitted_with_other_bytes), LARGE
    ),
    Row("3 % lost, seen by two interfaces", several(many_lost_segments, two_interfaces), LARGE),
    Row("responses only, start in mid-stream", several(responses_only, starts_mid_stream), LARGE),
    Row("responses only, 3 % lost", several(responses_only, many_lost_segments), LARGE),
    Row("requests only, 3 % lost", several(requests_only, many_lost_segments), LARGE),
    Row("10 % of small segments lost", one_in_ten_lost, {}, {"segment_size": 40}),
    Row("10 % lost, directions merged from two clocks", several(one_in_ten_lost, merged_from_two_clocks), LARGE),
    Row("start in mid-stream, 10 % lost", several(starts_mid_stream, one_in_ten_lost), LARGE),
    Row("start in mid-stream, segments of 536 bytes", starts_mid_stream, LARGE, {"segment_size": 536}),
    Row("responses only, cut at 96 bytes", several(responses_only, cut_at_96), LARGE),
    Row("responses only, RST in mid-message", several(responses_only, rst_in_message), LARGE),
    Row(
        "small segments shuffled, start in mid-stream",
        several(starts_mid_stream, shuffled),
        {},
        {"segment_size": 40},
    ),
]


CONNECTIONS, CALLS = 12, 40
