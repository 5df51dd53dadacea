"""Where connections begin and end."""

from kafkasniff.tcp.events import ConnectionEnd, Endpoint, StreamData
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.reassembler import Reassembler
from tests.tcp.conversations import ACK, FIN, MILLISECOND, RST, START, SYN, Talk, batch, connections, run


def test_a_whole_connection() -> None:
    talk = Talk().open().send(0, b"request").send(1, b"answer").close()
    events = run(talk.frames)
    (seen,) = connections(events)
    connection = seen.connection
    assert connection.endpoints == (Endpoint("10.0.0.1", 40_000), Endpoint("10.0.0.2", 9092))
    assert (connection.initiator, connection.ended_by, connection.ended_direction, connection.epoch) == (0, "fin", 0, 0)
    assert connection.first.packet == 1
    assert connection.round_trip_ns == 2 * MILLISECOND
    assert seen.parts == ([b"request"], [b"answer"])
    assert isinstance(events[-1], ConnectionEnd)


def test_the_last_acknowledgement_opens_nothing() -> None:
    talk = Talk().open().close()
    reassembler = Reassembler()
    reassembler.feed(batch(talk.frames + talk.frames[-3:]))
    assert reassembler.counters.connections == 1
    assert reassembler.counters.after_end == 4


def test_syn_ack_before_syn() -> None:
    talk = Talk().open().send(0, b"request").close()
    talk.frames[0], talk.frames[1] = talk.frames[1], talk.frames[0]
    (seen,) = connections(run(talk.frames))
    assert seen.connection.endpoints[0].port == 9092
    assert seen.connection.initiator == 1
    assert seen.parts == ([], [b"request"])


def test_data_before_the_handshake_in_the_capture() -> None:
    talk = Talk().open().send(0, b"request").send(1, b"answer")
    (seen,) = connections(run(talk.frames[3:] + talk.frames[:3]))
    assert seen.parts == ([b"request"], [b"answer"])
    assert seen.connection.initiator == 0


def test_data_in_the_syn() -> None:
    """TCP Fast Open (RFC 7413)."""
    talk = Talk().send(0, b"early", SYN).send(1, flags=SYN | ACK).send(0, b"late")
    (seen,) = connections(run(talk.frames))
    assert seen.parts[0] == [b"earlylate"]
    (seen,) = connections(run([talk.frames[1], talk.frames[0], talk.frames[2]]))
    assert seen.parts[1] == [b"earlylate"]


def test_retransmitted_syns_are_one_connection() -> None:
    talk = Talk().open()
    frames = [talk.frames[0]] * 3 + [talk.frames[1]] * 2 + talk.frames[2:]
    (seen,) = connections(run(frames))
    assert seen.connection.epoch == 0


def test_a_start_in_mid_stream_has_no_gap() -> None:
    talk = Talk(client_sequence=123_456).send(0, b"request").send(1, b"answer")
    (seen,) = connections(run(talk.frames))
    assert seen.parts == ([b"request"], [b"answer"])
    assert seen.connection.initiator is None
    assert seen.connection.ended_by == "capture-end"
    assert seen.connection.round_trip_ns == MILLISECOND


def test_a_start_in_mid_stream_out_of_order() -> None:
    talk = Talk().send(0, b"one").send(0, b"two").send(0, b"three").send(1, b"answer")
    frames = [talk.frames[index] for index in (2, 3, 0, 1)]
    (seen,) = connections(run(frames))
    assert seen.parts[0] == [b"onetwothree"]


def test_the_start_waits_half_a_second_at_most() -> None:
    talk = Talk().send(0, b"request").send(1, b"answer").send(0, b"second")
    times = [START, START + MILLISECOND, START + 501 * MILLISECOND]
    delivered = Reassembler().feed(batch(talk.frames, times=times))
    assert [event.data for event in delivered if isinstance(event, StreamData)] == [b"request", b"answer", b"second"]


def test_segments_from_before_the_start_are_counted() -> None:
    talk = Talk()
    before = talk.packet(0, ACK, b"before")
    talk.next[0] += 6
    for _ in range(70):
        talk.send(0, b"data")
    reassembler = Reassembler()
    events = reassembler.feed(batch([*talk.frames, before])) + reassembler.flush()
    assert connections(events)[0].parts[0] == [b"data" * 70]
    assert reassembler.counters.before_start == 1


def test_only_one_direction_was_captured() -> None:
    talk = Talk().open()
    for _ in range(5):
        talk.send(0, b"request").send(1, b"an answer")
    for side in (0, 1):
        frames = [frame for frame in talk.frames if frame[26:30] == bytes((10, 0, 0, side + 1))]
        (seen,) = connections(run(frames))
        own = (b"request", b"an answer")[side] * 5
        assert seen.parts[0] == [own]
        assert seen.connection.initiator == side
    # What the client acknowledged was sent, though no packet of the server is there; the last answer it did not.
    (seen,) = connections(run([frame for frame in talk.frames if frame[29] == 1]))
    assert seen.parts[1] == [4 * len(b"an answer")]


def test_a_new_syn_ends_the_old_connection() -> None:
    old = Talk().open().send(0, b"old")
    new = Talk(client_sequence=900_000, server_sequence=800_000).open().send(0, b"new")
    first, second = connections(run(old.frames + new.frames))
    assert (first.connection.ended_by, first.parts[0], first.connection.epoch) == ("reuse", [b"old"], 0)
    assert (second.connection.ended_by, second.parts[0], second.connection.epoch) == ("capture-end", [b"new"], 1)


def test_a_syn_that_nobody_takes_up_ends_nothing() -> None:
    talk = Talk().open().send(0, b"old")
    blind = Talk(client_sequence=900_000).send(0, flags=SYN)
    before = len(talk.frames)
    talk.send(1, b"answer").send(0, b"more")
    (seen,) = connections(run([*talk.frames[:before], *blind.frames, *talk.frames[before:]]))
    assert (seen.connection.ended_by, seen.parts) == ("capture-end", ([b"oldmore"], [b"answer"]))
    for _ in range(40):
        talk.send(0, b"q").send(1, b"a")
    reassembler = Reassembler()
    reassembler.feed(batch([*talk.frames[:before], *blind.frames, *talk.frames[before:]]))
    assert (reassembler.counters.connections, reassembler.counters.implausible) == (1, 1)


def test_a_new_syn_is_taken_up_where_one_side_was_captured() -> None:
    old = Talk().open().send(0, b"old").send(1, b"old answer")
    new = Talk(client_sequence=900_000, server_sequence=800_000).open().send(0, b"new").send(1, b"answer")
    syns = (old.frames[0], new.frames[0])
    for side in (0, 1):
        frames = [each for each in old.frames + new.frames if each[29] == side + 1 or each in syns]
        first, second = connections(run(frames))
        assert (first.connection.ended_by, second.connection.epoch) == ("reuse", 1)
        assert second.parts[side] == [(b"new", b"answer")[side]]


def test_a_new_connection_after_the_end() -> None:
    old = Talk().open().send(0, b"old").close()
    new = Talk(client_sequence=900_000, server_sequence=800_000).open().send(0, b"new").close()
    first, second = connections(run(old.frames + new.frames))
    assert (first.connection.ended_by, second.connection.ended_by) == ("fin", "fin")
    assert (second.connection.epoch, second.parts[0]) == (1, [b"new"])


def test_a_new_connection_after_the_end_whose_syn_is_not_captured() -> None:
    old = Talk().open().send(0, b"old").close()
    new = Talk(client_sequence=900 << 20, server_sequence=800 << 20).send(0, b"new")
    _, second = connections(run(old.frames + new.frames))
    assert (second.connection.epoch, second.parts[0]) == (1, [b"new"])


def test_reset() -> None:
    talk = Talk().open().send(0, b"request").send(1, flags=RST | ACK)
    events = run(talk.frames)
    (seen,) = connections(events)
    assert (seen.connection.ended_by, seen.connection.ended_direction) == ("rst", 1)
    (end,) = [event for event in events if isinstance(event, ConnectionEnd)]
    assert end.arrival.packet == 5


def test_a_refused_connection_ends_at_once() -> None:
    talk = Talk().send(0, flags=SYN)
    refusal = talk.packet(1, RST | ACK, sequence=0)
    events = Reassembler().feed(batch([*talk.frames, refusal]))
    assert connections(events)[0].connection.ended_by == "rst"


def test_data_captured_behind_the_reset_are_delivered() -> None:
    talk = Talk().open().send(0, b"request").send(1, b"answer").send(1, flags=RST | ACK)
    frames = [*talk.frames[:4], talk.frames[5], talk.frames[4]]
    (seen,) = connections(run(frames))
    assert seen.parts == ([b"request"], [b"answer"])
    assert seen.connection.ended_by == "rst"


def test_a_forged_reset_does_not_end_what_goes_on() -> None:
    talk = Talk().open().send(0, b"request")
    forged = talk.packet(1, RST, sequence=talk.next[1])
    far = talk.packet(1, RST, sequence=talk.next[1] + (1 << 30))
    talk.send(1, b"answer").send(0, b"second").close()
    (seen,) = connections(run([*talk.frames[:4], far, forged, *talk.frames[4:]]))
    assert seen.parts == ([b"requestsecond"], [b"answer"])
    assert seen.connection.ended_by == "fin"


def test_data_that_lack_before_the_fin_are_a_gap() -> None:
    talk = Talk().open().send(0, b"seen").send(0, b"lost").close()
    del talk.frames[4]
    events = run(talk.frames)
    (seen,) = connections(events)
    assert seen.parts[0] == [b"seen", 4]
    assert seen.connection.ended_by == "fin"


def test_half_closed_connections_go_on() -> None:
    talk = Talk().open().send(0, b"request", FIN | ACK)
    for _ in range(100):
        talk.send(1, b"answer").send(0)
    (seen,) = connections(run(talk.frames))
    assert seen.parts == ([b"request"], [b"answer" * 100])
    assert seen.connection.ended_by == "capture-end"


def test_round_trip_of_a_repeated_syn_is_that_of_the_last() -> None:
    talk = Talk().open()
    times = [START, START + 1_000 * MILLISECOND, START + 1_020 * MILLISECOND, START + 1_021 * MILLISECOND]
    (seen,) = connections(run([talk.frames[0], *talk.frames], times=times))
    assert seen.connection.round_trip_ns == 21 * MILLISECOND


def test_idle_connections_make_room() -> None:
    frames = [frame for port in range(64) for frame in Talk(client_port=port + 1).open().frames]
    reassembler = Reassembler(TcpLimits(connections=32))
    events = reassembler.feed(batch(frames))
    ended = [event.connection for event in events if isinstance(event, ConnectionEnd)]
    assert {connection.ended_by for connection in ended} == {"idle"}
    assert [connection.endpoints[0].port for connection in ended] == list(range(1, 33))
    assert reassembler.counters.limits_reached


def test_half_open_connections_make_room_first() -> None:
    whole = Talk(client_port=1).open()
    flood = [Talk(client_port=port).send(0, flags=SYN).frames[0] for port in range(2, 500)]
    reassembler = Reassembler(TcpLimits(half_open=100))
    events = reassembler.feed(batch(whole.frames + flood))
    ended = [event.connection.endpoints[0].port for event in events if isinstance(event, ConnectionEnd)]
    assert ended == list(range(2, 400))
    events = reassembler.feed(batch(whole.send(0, b"still here").frames[-1:]))
    assert [event.data for event in events if isinstance(event, StreamData)] == [b"still here"]


def test_closed_windows_and_the_first_fin() -> None:
    def closed(frame: bytes) -> bytes:
        """The frame with window 0 (the TCP header begins behind 14 + 20 bytes)."""
        return frame[:48] + b"\0\0" + frame[50:]

    talk = (
        Talk().open().send(0, b"request").send(1, b"answer").send(0).send(0, flags=FIN | ACK).send(1, flags=FIN | ACK)
    )
    frames = [closed(frame) if index in (3, 5) else frame for index, frame in enumerate(talk.frames)]
    reset = closed(talk.packet(1, RST))
    (seen,) = connections(run([*frames[:-1], reset]))
    assert [counter.zero_windows for counter in seen.connection.counters] == [2, 0]
    (seen,) = connections(run(frames))
    assert seen.connection.first_fin is not None
    assert seen.connection.first_fin.packet == 7
