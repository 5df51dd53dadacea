"""Connections of which only SYNs were seen: what is told of them, and that nothing is lost when more comes."""

import gc

from kafkasniff.tcp.events import ConnectionEnd, Endpoint
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.reassembler import Reassembler
from kafkasniff.tcp.reassembly.half_open import HalfOpen
from kafkasniff.tcp.reassembly.state import ConnectionState
from tests.tcp.conversations import ACK, MILLISECOND, RST, START, SYN, Talk, batch, connections, run


def syn(port: int) -> bytes:
    return Talk(client_port=port).send(0, flags=SYN).frames[0]


def test_a_syn_without_answer_and_its_copies() -> None:
    closed = syn(7)[:48] + b"\0\0" + syn(7)[50:]
    (seen,) = connections(run([syn(7), closed, syn(7)]))
    connection = seen.connection
    assert connection.endpoints == (Endpoint("10.0.0.1", 7), Endpoint("10.0.0.2", 9092))
    assert (connection.initiator, connection.ended_by, connection.epoch) == (0, "capture-end", 0)
    assert (connection.first.packet, connection.last.packet) == (1, 3)
    assert (connection.counters[0].packets, connection.counters[1].packets) == (3, 0)
    assert connection.counters[0].zero_windows == 1


def test_the_answer_to_a_copy_of_a_syn_gives_the_round_trip_time() -> None:
    talk = Talk().open().send(0, b"request").send(1, b"answer")
    (seen,) = connections(run([talk.frames[0], *talk.frames]))
    assert seen.parts == ([b"request"], [b"answer"])
    assert seen.connection.round_trip_ns == 2 * MILLISECOND
    assert seen.connection.first.packet == 1
    assert seen.connection.counters[0].packets == 4


def test_a_refused_connection() -> None:
    talk = Talk().send(0, flags=SYN).send(1, flags=RST | ACK)
    (seen,) = connections(run(talk.frames))
    assert (seen.connection.ended_by, seen.connection.ended_direction) == ("rst", 1)


def test_another_syn_on_the_same_ports_is_another_connection() -> None:
    first, second = Talk(), Talk(client_sequence=900_000_000)
    second.open().send(0, b"request")
    seen = connections(run([*first.send(0, flags=SYN).frames, *second.frames]))
    assert [(each.connection.epoch, each.connection.ended_by) for each in seen] == [(0, "reuse"), (1, "capture-end")]
    assert seen[1].parts == ([b"request"], [])


def test_both_ends_open_at_once() -> None:
    """RFC 9293, 3.5: simultaneous open."""
    talk = Talk().send(0, flags=SYN).send(1, flags=SYN)
    answers = [talk.packet(side, SYN | ACK, sequence=talk.next[side] - 1) for side in (0, 1)]
    (seen,) = connections(run([*talk.frames, *answers]))
    assert [counters.packets for counters in seen.connection.counters] == [2, 2]


def test_a_connection_ends_in_the_order_in_which_it_began() -> None:
    frames = [syn(1), *Talk(client_port=2).open().frames, syn(3)]
    ended = [event.connection.endpoints[0].port for event in run(frames) if isinstance(event, ConnectionEnd)]
    assert ended == [1, 2, 3]


def test_the_one_that_opened_first_makes_room() -> None:
    reassembler = Reassembler(TcpLimits(half_open=2))
    events = reassembler.feed(batch([syn(1), syn(2), syn(1), *Talk(client_port=3).open().frames, syn(4), syn(5)]))
    ended = [event.connection for event in events if isinstance(event, ConnectionEnd)]
    # The one at port 3 was answered, and does not count any more.
    assert [(each.endpoints[0].port, each.ended_by) for each in ended] == [(1, "idle"), (2, "idle")]
    assert ended[0].last.time == START + 3 * MILLISECOND
    assert reassembler.counters.connections == 5
    assert reassembler.counters.limits_reached == {"half-open connection ended: too many of them": 2}


def test_a_flood_holds_no_streams() -> None:
    reassembler = Reassembler()
    reassembler.feed(batch([syn(port) for port in range(1, 1_000)]))
    gc.collect()
    held = [type(each) for each in gc.get_objects() if isinstance(each, HalfOpen | ConnectionState)]
    assert (held.count(HalfOpen), held.count(ConnectionState)) == (999, 0)
