"""Connections that begin and end in one batch tell the same at once as packet by packet."""

from random import Random

import pytest

from kafkasniff.tcp import lives
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.reassembler import Reassembler
from tests.tcp.conversations import ACK, FIN, MILLISECOND, PSH, RST, START, SYN, Talk, batch
from tests.tcp.test_column_path import told

ECE_CWR = 0xC0
SECOND = 1_000 * MILLISECOND


@pytest.fixture(autouse=True)
def _few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lives, "FEWEST", 1)


def sound(port: int, rng: Random) -> Talk:
    talk = Talk(client_port=port, client_sequence=rng.getrandbits(32), server_sequence=(1 << 32) - rng.randrange(1, 90))
    talk.open()
    for _ in range(rng.randrange(4)):
        talk.send(0, rng.randbytes(rng.choice((1, 20, 300))), PSH | ACK)
        talk.send(1, rng.randbytes(rng.choice((1, 20, 1000))))
        if rng.random() < 0.3:
            talk.send(rng.randrange(2))
    return talk


def with_zero_window(frame: bytes) -> bytes:
    return frame[:48] + b"\0\0" + frame[50:]


ODDITIES = (
    "SYN twice",
    "SYN with data",
    "SYN lost",
    "SYN-ACK lost",
    "SYN-ACK of another SYN",
    "ACK with data",
    "ACK lost",
    "acknowledged ahead",
    "keep-alive",
    "zero window",
    "repeated",
    "swapped",
    "lost",
    "FIN with data",
    "FIN of the server first",
    "both FINs at once",
    "half closed",
    "data behind a FIN",
    "FIN acknowledged first",
    "FIN twice",
    "RST",
    "RST behind the end",
    "data behind the end",
    "open",
    "again at once",
)


def odd(kind: str, port: int, rng: Random) -> list[bytes]:
    talk = sound(port, rng)
    frames = talk.frames
    some = rng.randrange(3, len(frames)) if len(frames) > 3 else 2
    match kind:
        case "SYN twice":
            return [frames[0], *talk.close().frames]
        case "SYN with data":
            talk = Talk(client_port=port).send(0, b"early", SYN).send(1, flags=SYN | ACK).send(0)
        case "SYN lost" | "SYN-ACK lost" | "ACK lost":
            at = ("SYN lost", "SYN-ACK lost", "ACK lost").index(kind)
            return [*frames[:at], *talk.close().frames[at + 1 :]]
        case "SYN-ACK of another SYN":
            talk = Talk(client_port=port).send(0, flags=SYN)
            talk.frames.append(talk.packet(1, SYN | ACK, ack=77))
            talk.next[1] += 1
            talk.send(0).send(0, b"question").send(1, b"answer")
        case "ACK with data":
            talk = Talk(client_port=port).send(0, flags=SYN | ECE_CWR).send(1, flags=SYN | ACK)
            talk.send(0, b"question").send(1, b"answer")
        case "acknowledged ahead":
            frames.append(talk.packet(0, ack=talk.next[1] + 3))
        case "keep-alive":
            frames.append(talk.packet(0, data=b"\0", sequence=talk.next[0] - 1))
        case "zero window":
            frames[some - 1] = with_zero_window(frames[some - 1])
        case "repeated":
            frames.append(frames[some - 1])
        case "swapped":
            talk.close()
            frames[some - 1 : some + 1] = frames[some - 1 : some + 1][::-1]
            return frames
        case "lost":
            talk.close()
            del frames[some]
            return frames
        case "FIN with data":
            return talk.send(0, b"last words", FIN | ACK).send(1, b"good-bye", FIN | ACK).send(0).frames
        case "FIN of the server first":
            return talk.send(1, flags=FIN | ACK).send(0, flags=FIN | ACK).send(1).frames
        case "both FINs at once":
            first = talk.packet(0, FIN | ACK)
            talk.send(1, flags=FIN | ACK)
            frames.append(first)
            talk.next[0] += 1
            return talk.send(0).send(1).frames
        case "half closed":
            return talk.send(0, flags=FIN | ACK).send(1, b"still").send(0).send(1, flags=FIN | ACK).send(0).frames
        case "data behind a FIN":
            return talk.send(0, flags=FIN | ACK).send(0, b"more").send(1, flags=FIN | ACK).frames
        case "FIN acknowledged first":
            return talk.send(0, flags=FIN | ACK).send(1).send(1, b"rest", FIN | ACK).send(0).frames
        case "FIN twice":
            talk.send(0, flags=FIN | ACK)
            frames.append(frames[-1])
            return talk.send(1, flags=FIN | ACK).send(0).frames
        case "RST":
            return talk.send(rng.randrange(2), flags=RST | ACK).frames
        case "RST behind the end":
            return talk.close().send(1, flags=RST).frames
        case "data behind the end":
            return talk.close().send(0, b"too late").frames
        case "open":
            return frames
        case "again at once":
            return [*talk.close().frames, *sound(port, rng).close().frames]
    return talk.close().frames


def crowd(seed: int) -> list[bytes]:
    """Short connections between each other, of which some are odd, and some have the ports of earlier ones."""
    rng = Random(seed)
    placed = []
    for number in range(80):
        port = 40_000 + number % (80 if seed % 2 else 50)
        own = odd(rng.choice(ODDITIES), port, rng) if rng.random() < 0.4 else sound(port, rng).close().frames
        at = float(number)
        for frame in own:
            placed.append((at, frame))
            at += rng.uniform(0, 1)
    return [frame for _, frame in sorted(placed, key=lambda pair: pair[0])]


@pytest.mark.parametrize("clock", ["rises", "waits", "steps back"])
def test_lives_tell_the_same(clock: str) -> None:
    at_once = 0
    for seed in range(25):
        frames, rng, time, times = crowd(seed), Random(seed), START, []
        for _ in frames:
            time += SECOND if clock == "waits" and rng.random() < 0.05 else MILLISECOND
            times.append(time - (rng.randrange(SECOND) if clock == "steps back" and rng.random() < 0.1 else 0))
        limits = rng.choice(
            ({}, {"remembered": 5_000}, {"half_open": 20}, {"ended": 10}, {"ended": 900}, {"buffered_in_all": 3_000})
        )
        expected, none = told(frames, times, len(frames), column_packets=1 << 60, **limits)
        assert none == 0
        for size in (len(frames), 150):
            found, segments = told(frames, times, size, column_packets=1, **limits)
            assert found == expected
            at_once += segments
    assert clock == "steps back" or at_once > 2_000


@pytest.mark.parametrize("kind", ODDITIES)
def test_odd_ones_tell_the_same(kind: str) -> None:
    for seed in range(6):
        rng = Random(seed)
        frames = [*odd(kind, 40_000, rng), *sound(40_001, rng).close().frames]
        times = [START + index * MILLISECOND for index in range(len(frames))]
        expected, _ = told(frames, times, len(frames), column_packets=1 << 60)
        found, _ = told(frames, times, len(frames), column_packets=1)
        assert found == expected


def test_a_sound_life_is_taken_at_once() -> None:
    rng = Random(0)
    frames = [*sound(40_000, rng).close().frames, *odd("FIN acknowledged first", 40_001, rng)]
    reassembler = Reassembler(TcpLimits(column_packets=1))
    assert reassembler.feed(batch(frames)) == []
    (found,) = reassembler.lives
    assert [found.connection(row).endpoints[0].port for row in range(len(found))] == [40_000, 40_001]
    # Of a known 4-tuple each packet is looked at.
    reassembler.feed(batch(frames, first_packet=len(frames) + 1))
    assert not reassembler.lives
