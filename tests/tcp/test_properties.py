"""Random conversations under random damage: nothing that was captured is lost, nothing is invented."""

import random
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kafkasniff.tcp.reassembler import Reassembler
from tests.tcp.conversations import ACK, FIN, PSH, Seen, Talk, batch, connections, run


def cut_up(data: bytes, chance: random.Random, smallest: int) -> list[tuple[int, int]]:
    """Random boundaries of segments."""
    largest = chance.choice((smallest, 10, 100, 1460))
    marks = {0, len(data)}
    position = 0
    while position < len(data):
        position += chance.randint(smallest, largest)
        marks.add(min(position, len(data)))
    return list(pairwise(sorted(marks)))


class Damaged:
    """A conversation of which some data packets move, come twice, overlap, or lack."""

    def __init__(self, seed: int, *, mid_stream: bool = False, smallest: int = 1, port: int = 40_000) -> None:
        chance = self.chance = random.Random(seed)
        starts = [chance.choice((0, 1, 77_777, (1 << 32) - 1, (1 << 32) - 300)) for _ in range(2)]
        self.data = [chance.randbytes(chance.randint(10, 600)) for _ in range(2)]
        self.first = [(start + 1) % (1 << 32) for start in starts]
        talk = Talk(client_sequence=starts[0], server_sequence=starts[1], client_port=port)
        self.packets: list[tuple[str, int, int, int, bytes]] = []
        """Kind, side, first and last byte, frame."""
        talk.open()
        for frame in [] if mid_stream else talk.frames:
            self.packets.append(("open", 0, 0, 0, frame))
        parts = [cut_up(data, chance, smallest) for data in self.data]
        sides = [side for side in (0, 1) for _ in parts[side]]
        chance.shuffle(sides)
        sent, positions = [0, 0], [0, 0]
        for side in sides:
            start, end = parts[side][sent[side]]
            sent[side] += 1
            self._data(talk, side, start, end)
            positions[side] = talk.next[side] = (self.first[side] + end) % (1 << 32)
            if chance.random() < 0.3:
                self.packets.append(("ack", 1 - side, 0, 0, talk.packet(1 - side)))
        self.ending: list[bytes] = []
        talk.frames.clear()
        self.ending = talk.send(0, flags=FIN | ACK).send(1, flags=FIN | ACK).send(0).frames
        self.talk = talk

    def _data(self, talk: Talk, side: int, start: int, end: int) -> None:
        frame = talk.packet(side, ACK | PSH, self.data[side][start:end], sequence=self.first[side] + start)
        self.packets.append(("data", side, start, end, frame))

    def repeat(self, share: float, *, overlap: bool) -> None:
        """Send some segments again later, with other boundaries where `overlap`."""
        placed = [(float(index), packet) for index, packet in enumerate(self.packets)]
        for index, (kind, side, start, end, frame) in enumerate(self.packets):
            if kind != "data" or self.chance.random() > share:
                continue
            if overlap:
                # Not far back: what was acknowledged longer ago than the reordering window is proven lost.
                near = [p[2] for p in self.packets[max(0, index - 10) : index + 1] if p[:2] == ("data", side)]
                start = self.chance.randint(min(near), start)
                ack = int.from_bytes(frame[42:46], "big")
                number = self.first[side] + start
                frame = self.talk.packet(side, ACK, self.data[side][start:end], sequence=number, ack=ack)
            placed.append((index + self.chance.uniform(0, 30), ("repeat", side, start, end, frame)))
        self.packets = [packet for _, packet in sorted(placed, key=lambda pair: pair[0])]

    def move(self, farthest: int) -> None:
        """Let packets come up to `farthest` packets late."""
        placed = [(index + self.chance.uniform(0, farthest), packet) for index, packet in enumerate(self.packets)]
        self.packets = [packet for _, packet in sorted(placed, key=lambda pair: pair[0])]

    def drop(self, share: float) -> list[set[int]]:
        """Leave out some data packets; give, for each side, the bytes that no packet carries any more."""
        self.packets = [p for p in self.packets if p[0] not in ("data", "repeat") or self.chance.random() > share]
        missing = [set(range(len(data))) for data in self.data]
        for kind, side, start, end, _ in self.packets:
            if kind in ("data", "repeat"):
                missing[side].difference_update(range(start, end))
        return missing

    def frames(self) -> list[bytes]:
        return [packet[4] for packet in self.packets] + self.ending


def smallest_segment(farthest: int) -> int:
    """Until a SYN was seen, one byte alone that was acknowledged before it came passes for a keep-alive probe."""
    return 2 if farthest else 1


def expected(data: bytes, missing: set[int]) -> list[bytes | int]:
    parts: list[bytes | int] = []
    for index, byte in enumerate(data):
        if index in missing:
            if parts and isinstance(parts[-1], int):
                parts[-1] += 1
            else:
                parts.append(1)
        elif parts and isinstance(parts[-1], bytes):
            parts[-1] += bytes((byte,))
        else:
            parts.append(bytes((byte,)))
    return parts


def merged(parts: list[bytes | int | None]) -> list[bytes | int]:
    """Join gaps that touch: what lacks may be proven lost piece by piece."""
    joined: list[bytes | int] = []
    for part in parts:
        assert part is not None
        if joined and isinstance(part, int) and isinstance(joined[-1], int):
            joined[-1] += part
        else:
            joined.append(part)
    return joined


seeds = st.integers(min_value=0, max_value=1 << 48)


@given(seeds, st.sampled_from((0, 3, 20, 50)), st.booleans())
def test_whole_streams_survive_reordering_duplicates_and_overlaps(seed: int, farthest: int, overlap: bool) -> None:
    damaged = Damaged(seed, smallest=smallest_segment(farthest))
    damaged.repeat(0.3, overlap=overlap)
    damaged.move(farthest)
    (seen,) = connections(run(damaged.frames()))
    assert [merged(parts) for parts in flipped(seen)] == [[data] for data in damaged.data]
    assert seen.connection.ended_by == "fin"
    assert sum(counters.conflicts for counters in seen.connection.counters) == 0


def flipped(seen: Seen) -> list[list[bytes | int | None]]:
    """The client's parts, then the server's, whichever packet came first."""
    return list(seen.parts) if seen.connection.endpoints[0].port != 9092 else list(seen.parts[::-1])


@given(seeds, st.sampled_from((0, 3, 20)), st.sampled_from((0.02, 0.2, 0.7)))
def test_gaps_are_the_bytes_that_no_packet_carries(seed: int, farthest: int, share: float) -> None:
    damaged = Damaged(seed, smallest=smallest_segment(farthest))
    damaged.repeat(0.3, overlap=True)
    damaged.move(farthest)
    missing = damaged.drop(share)
    (seen,) = connections(run(damaged.frames()))
    wanted = [expected(data, lacks) for data, lacks in zip(damaged.data, missing, strict=True)]
    assert [merged(parts) for parts in flipped(seen)] == wanted
    for direction, counters in enumerate(seen.connection.counters):
        assert counters.data_bytes == sum(len(p) for p in seen.parts[direction] if isinstance(p, bytes))
        assert counters.gap_bytes == sum(p for p in seen.parts[direction] if isinstance(p, int))


@given(seeds, st.sampled_from((0, 3, 20)))
def test_a_capture_that_starts_late_keeps_all_it_holds(seed: int, farthest: int) -> None:
    damaged = Damaged(seed, mid_stream=True, smallest=2)
    damaged.move(farthest)
    (seen,) = connections(run(damaged.frames()))
    assert [merged(parts) for parts in flipped(seen)] == [[data] for data in damaged.data]


@given(seeds, st.integers(1, 40))
def test_batches_do_not_matter(seed: int, size: int) -> None:
    damaged = Damaged(seed)
    damaged.repeat(0.3, overlap=True)
    damaged.move(20)
    damaged.drop(0.1)
    frames = damaged.frames()
    whole = connections(run(frames))
    reassembler, events = Reassembler(), []
    for start in range(0, len(frames), size):
        events += reassembler.feed(batch(frames[start : start + size], first_packet=start + 1))
    events += reassembler.flush()
    assert [s.parts for s in connections(events)] == [s.parts for s in whole]
