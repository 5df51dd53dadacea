"""One direction: order, repeats, gaps and their proof."""

import pytest

from kafkasniff.tcp.events import StreamData, StreamEvent, StreamGap
from kafkasniff.tcp.reassembler import Reassembler
from tests.tcp.conversations import ACK, FIN, MILLISECOND, START, Seen, Talk, batch, connections, run


def only(frames: list[bytes], **columns: object) -> Seen:
    (seen,) = connections(run(frames, **columns))  # type: ignore[arg-type]
    return seen


def idle(talk: Talk, count: int) -> list[bytes]:
    """Packets without data from both sides, acknowledging everything."""
    return [talk.packet(index & 1) for index in range(count)]


def test_in_order_data_are_delivered_by_their_own_packet_at_once() -> None:
    talk = Talk().open().send(0, b"one").send(0, b"two")
    data = [event for event in Reassembler().feed(batch(talk.frames)) if isinstance(event, StreamData)]
    assert [(d.data, d.arrival.packet, d.delivered_by.packet) for d in data] == [(b"one", 4, 4), (b"two", 5, 5)]
    assert data[0].arrival.time == START + 4 * MILLISECOND


def test_a_hole_that_fills_names_its_filler() -> None:
    talk = Talk().open().send(0, b"one").send(0, b"two")
    talk.frames[3], talk.frames[4] = talk.frames[4], talk.frames[3]
    data = [event for event in run(talk.frames) if isinstance(event, StreamData)]
    assert [(d.data, d.arrival.packet, d.delivered_by.packet) for d in data] == [(b"one", 5, 5), (b"two", 4, 5)]


def test_the_sequence_number_wraps() -> None:
    talk = Talk(client_sequence=(1 << 32) - 6).open()
    for _ in range(10):
        talk.send(0, b"abc")
    assert only(talk.frames).parts[0] == [b"abc" * 10]


def test_late_by_fifty_packets_is_not_lost_even_if_acknowledged() -> None:
    talk = Talk().open().send(0, b"early").send(0, b"late").send(0, b"after")
    late = talk.frames.pop(4)
    frames = talk.frames + idle(talk, 50) + [late]
    assert only(frames).parts[0] == [b"earlylateafter"]


def test_an_acknowledged_hole_is_closed_behind_the_window() -> None:
    talk = Talk().open().send(0, b"early").send(0, b"lost").send(0, b"after")
    del talk.frames[4]
    reassembler = Reassembler()
    before = reassembler.feed(batch(talk.frames + idle(talk, 63)))
    assert [event.data for event in before if isinstance(event, StreamData)] == [b"early"]
    after = reassembler.feed(batch(idle(talk, 3), first_packet=69))
    assert [event.length for event in after if isinstance(event, StreamGap)] == [4]
    assert [event.data for event in after if isinstance(event, StreamData)] == [b"after"]


def test_a_hole_that_the_peer_did_not_acknowledge_stays_open() -> None:
    talk = Talk().open().send(0, b"early")
    waiting = talk.next[0]
    lost = talk.packet(0, ACK, b"lost")
    talk.next[0] += 4
    talk.send(0, b"after")
    answers = [talk.packet(1, ack=waiting) for _ in range(500)]
    assert only([*talk.frames, *answers, lost]).parts[0] == [b"earlylostafter"]


def test_a_gap_says_whether_the_receiver_has_its_bytes() -> None:
    """What the receiver never acknowledges was lost on the way, not by the capture."""
    for received in (True, False):
        talk = Talk().open().send(0, b"early")
        waiting = talk.next[0]
        talk.next[0] += 1_448
        talk.send(0, b"tail")
        answers = [talk.packet(1, ack=None if received else waiting) for _ in range(9)]
        (gap,) = [event for event in run([*talk.frames, *answers]) if isinstance(event, StreamGap)]
        assert (gap.length, gap.acknowledged) == (1_448, received)


def test_bytes_that_were_acknowledged_but_never_seen_are_a_gap_once() -> None:
    talk = Talk().open().send(0, b"early")
    talk.next[0] += 700
    frames = talk.frames + [talk.packet(1) for _ in range(1_200)]
    events = run(frames)
    (gap,) = [event for event in events if isinstance(event, StreamGap)]
    assert (gap.length, gap.cut, gap.direction) == (700, False, 0)
    assert gap.arrival.packet < len(frames)


def test_such_bytes_are_a_gap_at_the_end_of_a_short_capture() -> None:
    talk = Talk().open().send(0, b"early")
    talk.next[0] += 700
    assert only([*talk.frames, talk.packet(1)]).parts[0] == [b"early", 700]


def test_a_fin_that_the_capture_lacks_is_no_gap() -> None:
    talk = Talk().open().send(0, b"data")
    talk.next[0] += 1
    assert only([*talk.frames, *(talk.packet(1) for _ in range(100))]).parts[0] == [b"data"]


@pytest.mark.parametrize("peer_fin_is_seen", [True, False])
def test_a_fin_that_lacks_behind_lost_bytes_is_none_of_them(peer_fin_is_seen: bool) -> None:
    talk = Talk().open().send(1, b"data").send(0, flags=FIN | ACK)
    if not peer_fin_is_seen:
        talk.frames.pop()
    talk.next[1] += 700 + 1
    assert only([*talk.frames, talk.packet(0)]).parts[1] == [b"data", 700]


def test_one_way_a_hole_is_closed_after_many_packets() -> None:
    talk = Talk().open()
    talk.frames.clear()
    talk.send(0, b"early")
    talk.next[0] += 10
    for _ in range(1_100):
        talk.send(0, b"more")
    seen = only(talk.frames)
    assert seen.parts[0] == [b"early", 10, b"more" * 1_100]
    delivered = Reassembler().feed(batch(talk.frames))
    assert sum(len(event.data) for event in delivered if isinstance(event, StreamData)) > 4_000


def test_one_way_a_hole_is_closed_after_a_minute() -> None:
    talk = Talk().send(0, b"early")
    talk.next[0] += 10
    for _ in range(99):
        talk.send(0, b"more")
    times = [START + index * 1_000 * MILLISECOND for index in range(len(talk.frames))]
    delivered = Reassembler().feed(batch(talk.frames, times=times))
    assert [event.length for event in delivered if isinstance(event, StreamGap)] == [10]


def test_a_lying_acknowledgement_is_ignored() -> None:
    talk = Talk().open().send(0, b"data")
    absurd = [talk.packet(1, ack=talk.next[0] + (1 << 30) + 5), talk.packet(1, ack=talk.next[0] + (1 << 29))]
    assert only(talk.frames + absurd + idle(talk, 100)).parts[0] == [b"data"]


def test_other_bytes_at_the_same_place_are_a_conflict_and_the_first_stay() -> None:
    talk = Talk().open().send(0, b"first")
    other = talk.packet(0, ACK, b"FIRST", sequence=talk.next[0] - 5)
    seen = only([*talk.frames, other])
    assert seen.parts[0] == [b"first"]
    assert (seen.connection.counters[0].conflicts, seen.connection.counters[0].retransmissions) == (1, 1)
    assert seen.conflicts == [(0, ((-5, 0),))]


def test_a_conflict_says_which_bytes_differ() -> None:
    talk = Talk().open().send(0, b"one ").send(0, b"two ").send(0, b"three")
    other = talk.packet(0, ACK, b"oNe twO three and more", sequence=talk.next[0] - 13)
    seen = only([*talk.frames, other])
    assert seen.parts[0] == [b"one two three and more"]
    assert seen.conflicts == [(0, ((-12, -11), (-7, -6)))]


def test_other_bytes_in_the_buffer_are_a_conflict_and_the_first_stay() -> None:
    talk = Talk().open()
    start = talk.next[0]
    frames = [
        talk.packet(0, ACK, b"cde", sequence=start + 2),
        talk.packet(0, ACK, b"bXXef", sequence=start + 1),
        talk.packet(0, ACK, b"a", sequence=start),
    ]
    seen = only(talk.frames + frames)
    assert seen.parts[0] == [b"abcdef"]
    assert seen.connection.counters[0].conflicts == 1
    data = [event for event in run(talk.frames + frames) if isinstance(event, StreamData)]
    assert [(each.data, each.contradicted) for each in data] == [
        (b"a", ()), (b"b", ()), (b"cde", ((0, 2),)), (b"f", ())
    ]  # fmt: skip


def test_a_longer_retransmission_brings_its_new_bytes() -> None:
    talk = Talk().open().send(0, b"abc")
    longer = talk.packet(0, ACK, b"abcdef", sequence=talk.next[0] - 3)
    seen = only([*talk.frames, longer])
    assert seen.parts[0] == [b"abcdef"]
    assert seen.connection.counters[0].conflicts == 0
    assert seen.connection.counters[0].data_bytes == 6


@pytest.mark.parametrize(
    ("wait", "counted"),
    [(0, (1, 0, 0)), (MILLISECOND // 2, (1, 0, 0)), (50 * MILLISECOND, (0, 1, 0)), (300 * MILLISECOND, (0, 1, 1))],
)
def test_duplicates_and_retransmissions_are_told_apart_by_time(wait: int, counted: tuple[int, int, int]) -> None:
    talk = Talk().open().send(0, b"data")
    times = [START, START, START, START, START + wait]
    counters = only([*talk.frames, talk.frames[3]], times=times).connection.counters[0]
    assert (counters.duplicates, counters.retransmissions, counters.late_retransmissions) == counted


def test_every_packet_twice_changes_nothing() -> None:
    talk = Talk().open()
    for index in range(20):
        talk.send(index & 1, bytes([index]) * 10)
    talk.close()
    twice = [frame for frame in talk.frames for _ in range(2)]
    once, both = only(talk.frames), only(twice)
    assert both.parts == once.parts
    assert both.connection.ended_by == once.connection.ended_by == "fin"
    assert [counters.gaps for counters in both.connection.counters] == [0, 0]


def test_keep_alive_probes_are_no_data() -> None:
    talk = Talk().open().send(0, b"data").send(1, b"answer")
    probe = talk.packet(0, ACK, b"\0", sequence=talk.next[0] - 1)
    empty = talk.packet(0, ACK, sequence=talk.next[0] - 1)
    frames = [*talk.frames, probe, talk.packet(1), empty, talk.packet(1)]
    seen = only([*frames, *talk.send(0, b"more").frames[-1:]])
    assert seen.parts[0] == [b"datamore"]
    assert seen.connection.counters[0].conflicts == seen.connection.counters[0].retransmissions == 0


def test_a_zero_window_probe_carries_the_next_byte() -> None:
    talk = Talk().open().send(0, b"data")
    probe = talk.packet(0, ACK, b"m")
    talk.send(0, b"more")
    frames = [*talk.frames[:4], probe, probe, talk.frames[4]]
    assert only(frames).parts[0] == [b"datamore"]


def test_what_the_snap_length_cut_is_a_gap_of_known_length() -> None:
    talk = Talk().open().send(0, b"0123456789").send(0, b"next")
    frames = [*talk.frames[:3], talk.frames[3][:-6], talk.frames[4]]
    events = run(frames, original=list(map(len, talk.frames)))
    (seen,) = connections(events)
    assert seen.parts[0] == [b"0123", 6, b"next"]
    assert [event.cut for event in events if isinstance(event, StreamGap)] == [True]
    assert seen.connection.counters[0].cut_packets == 1


def test_a_stream_that_leaps_goes_on_behind_a_gap() -> None:
    """The capture paused for longer than the window, or the SYN of a new connection is not in it."""
    talk = Talk().open().send(0, b"before")
    talk.next[0] += 200 << 20
    for _ in range(5):
        talk.send(0, b"after")
    seen = only(talk.frames)
    assert seen.parts[0] == [b"before", 200 << 20, b"after" * 5]
    talk.next[0] -= 700 << 20
    for _ in range(5):
        talk.send(0, b"again")
    assert only(talk.frames).parts[0][3:] == [None, b"again" * 5]


def test_one_stray_segment_changes_nothing() -> None:
    talk = Talk().open().send(0, b"before")
    stray = talk.packet(0, ACK, b"stray", sequence=talk.next[0] + (1 << 30))
    seen = only([*talk.frames, stray, *talk.send(0, b"after").frames[-1:]])
    assert seen.parts[0] == [b"beforeafter"]


def test_bytes_beyond_the_fin_are_ignored() -> None:
    talk = Talk().open().send(0, b"data", 1 | ACK)
    beyond = talk.packet(0, ACK, b"ghost")
    assert only([*talk.frames, beyond, talk.packet(1)]).parts[0] == [b"data"]


def test_clocks_that_step_back_change_nothing() -> None:
    talk = Talk().open()
    for index in range(200):
        talk.send(index & 1, bytes([index]))
    del talk.frames[20]
    times = [START - index * 3_600_000 * MILLISECOND for index in range(len(talk.frames))]
    seen = only(talk.frames, times=times)
    assert seen.parts[0] == [bytes(range(0, 200, 2))]
    assert seen.parts[1] == [bytes(range(1, 17, 2)), 1, bytes(range(19, 200, 2))]


def order_of(events: list[StreamEvent]) -> list[tuple[int, int]]:
    return [(event.direction, event.arrival.packet) for event in events if isinstance(event, StreamData)]


def test_what_was_held_at_the_start_comes_in_the_order_it_was_captured() -> None:
    talk = Talk()
    for index in range(10):
        talk.send(index & 1, b"part")
    assert order_of(run(talk.frames)) == [(index & 1, index + 1) for index in range(10)]


def test_a_reordered_segment_behind_an_old_hole_is_not_late() -> None:
    """The hole is the capture's; what comes out of order behind it was sent only once."""
    talk = Talk().open()
    start = talk.next[0]
    parts = [talk.packet(0, ACK, b"abc", sequence=start + at) for at in (0, 3, 6, 9, 12)]
    frames = [*talk.frames, parts[0], parts[2], parts[4], parts[3]]
    times = [START] * 5 + [START + 300 * MILLISECOND, START + 310 * MILLISECOND]
    assert only(frames, times=times).connection.counters[0].late_retransmissions == 0
    sent_again = [*frames, parts[1]]
    counters = only(sent_again, times=[*times, START + 320 * MILLISECOND]).connection.counters[0]
    assert counters.late_retransmissions == 1


@pytest.mark.parametrize(("wait", "counted"), [(0, (1, 0, 1)), (50 * MILLISECOND, (0, 1, 1))])
def test_a_late_filler_that_comes_twice_counts_once(wait: int, counted: tuple[int, int, int]) -> None:
    talk = Talk().open()
    start = talk.next[0]
    parts = [talk.packet(0, ACK, b"abc", sequence=start + at) for at in (0, 3, 6, 9, 12)]
    # The first hole stays, so that the filler of the second one waits when it comes again.
    frames = [*talk.frames, parts[0], parts[2], parts[4], parts[3], parts[3]]
    late = START + 300 * MILLISECOND
    counters = only(frames, times=[START] * 6 + [late, late + wait]).connection.counters[0]
    assert (counters.duplicates, counters.retransmissions, counters.late_retransmissions) == counted
    assert counters.out_of_order == 1


def test_a_late_segment_with_old_and_new_bytes_counts_once() -> None:
    talk = Talk().open()
    start = talk.next[0]
    parts = [talk.packet(0, ACK, b"abc", sequence=start + at) for at in (0, 6)]
    both = talk.packet(0, ACK, b"abcdef", sequence=start)
    late = START + 300 * MILLISECOND
    counters = only([*talk.frames, *parts, both], times=[START] * 5 + [late]).connection.counters[0]
    assert (counters.retransmissions, counters.late_retransmissions, counters.out_of_order) == (1, 1, 1)


@pytest.mark.parametrize("more", [[], [b"second answer"]])
def test_an_answer_that_is_lost_with_the_syn_ack_is_a_gap(more: list[bytes]) -> None:
    """The SYN was seen, so that all that the client acknowledges since was sent since."""
    talk = Talk().open().send(0, b"question").send(1).send(1, b"lost").send(0)
    for data in more:
        talk.send(0, b"again").send(1, data).send(0)
    talk.close()
    del talk.frames[5], talk.frames[1]
    assert only(talk.frames).parts[1] == [4, *more]


def test_what_was_acknowledged_before_a_capture_began_is_no_gap() -> None:
    talk = Talk().open().send(0, b"question").send(1).send(1, b"before").send(0)
    talk.send(0, b"again").send(1, b"answer").send(0).close()
    assert only(talk.frames[4:5] + talk.frames[6:]).parts == ([b"answer"], [b"again"])
