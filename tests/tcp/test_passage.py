"""Stretches of a connection with disorder in them: what comes of them in runs, and how much does."""

from random import Random

from kafkasniff.tcp.events import StreamData, StreamGap, StreamRun
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.reassembler import Reassembler
from tests.tcp.conversations import Talk, batch, connections

COLUMNS = TcpLimits(column_packets=1)


def bulk(talk: Talk, count: int) -> list[bytes]:
    """Segments of the client, numbered, each acknowledged."""
    for number in range(count):
        talk.send(0, number.to_bytes(4, "big")).send(1)
    return [number.to_bytes(4, "big") for number in range(count)]


def test_segments_out_of_order_lie_in_one_run() -> None:
    talk = Talk().open()
    parts = bulk(talk, 100)
    frames = talk.frames
    for index in (33, 75, 141):
        frames.insert(index + 4, frames.pop(index))
    events = Reassembler(COLUMNS).feed(batch(frames))
    (run,) = [event for event in events if isinstance(event, StreamRun)]
    assert len(run.sides[0].packets) > 95
    assert [*run.sides[0].delivered_by] == sorted(run.sides[0].delivered_by)
    assert not run.in_order
    segments = [run.data(0, index) for index in range(len(run.sides[0].packets))]
    assert b"".join(segment.data for segment in segments) == b"".join(parts)[-4 * len(segments) :]
    # The packet that was moved to place 37 let itself and those from behind it through.
    late = [segment for segment in segments if segment.delivered_by.packet == 38]
    assert [segment.arrival.packet for segment in late] == [38, 35, 37]
    assert run.connection.counters[0].out_of_order == 3


def test_a_hole_parts_two_runs() -> None:
    talk = Talk().open()
    parts = bulk(talk, 200)
    frames = talk.frames
    del frames[103]
    reassembler = Reassembler(COLUMNS)
    events = reassembler.feed(batch(frames))
    assert reassembler.places == sorted(reassembler.places or ())
    kinds = [type(event) for event in events if not isinstance(event, StreamData)][1:]
    assert kinds == [StreamRun, StreamGap, StreamRun]
    (seen,) = connections(events + reassembler.flush())
    assert seen.parts[0] == [b"".join(parts[:50]), 4, b"".join(parts[51:])]


def test_most_packets_of_disordered_traffic_lie_in_runs() -> None:
    rng, talk = Random(6), Talk().open()
    bulk(talk, 2_000)
    placed = [
        (index + (rng.randint(2, 7) if rng.random() < 0.02 else 0), frame) for index, frame in enumerate(talk.frames)
    ]
    frames = [frame for _, frame in sorted(placed, key=lambda pair: pair[0]) if rng.random() > 0.005]
    events = Reassembler(COLUMNS).feed(batch(frames))
    in_runs = sum(len(event.sides[0].packets) for event in events if isinstance(event, StreamRun))
    assert in_runs > 1_700
