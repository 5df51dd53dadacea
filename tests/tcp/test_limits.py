"""Bounds on what is buffered and remembered."""

import pytest

from kafkasniff.tcp.events import StreamData, StreamGap
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.reassembler import Reassembler
from tests.tcp.conversations import ACK, Talk, batch, connections, ethernet, ipv4


def behind_holes(port: int, count: int) -> list[bytes]:
    """A handshake, then segments of 100 bytes with 10 bytes missing before each, none acknowledged."""
    talk = Talk(client_port=port).open()
    start = talk.next[0]
    own = [talk.packet(0, ACK, b"x" * 100, sequence=start + 10 + index * 110) for index in range(count)]
    return talk.frames + [frame for packet in own for frame in (packet, talk.packet(1, ack=start))]


@pytest.mark.parametrize("limits", [TcpLimits(buffered_per_direction=50_000), TcpLimits(buffered_in_all=50_000)])
def test_the_first_holes_are_closed_when_too_much_waits(limits: TcpLimits) -> None:
    reassembler = Reassembler(limits)
    events = reassembler.feed(batch(behind_holes(1, 1_000)))
    waiting = 1_000 * 100 - sum(len(event.data) for event in events if isinstance(event, StreamData))
    assert 0 < waiting < 50_000
    assert sum(reassembler.counters.limits_reached.values()) > 0
    events += reassembler.flush()
    assert connections(events)[0].parts[0] == [10, b"x" * 100] * 1_000


def test_the_connection_whose_hole_opened_first_gives_way() -> None:
    reassembler = Reassembler(TcpLimits(buffered_in_all=60_000))
    first = behind_holes(1, 100)
    events = reassembler.feed(batch(first)) + reassembler.feed(batch(behind_holes(2, 100)))
    closed = {event.connection.endpoints[0].port for event in events if isinstance(event, StreamGap)}
    assert closed == {1}


def test_without_reaching_a_limit_nothing_is_given_up() -> None:
    reassembler = Reassembler()
    events = reassembler.feed(batch(behind_holes(1, 1_000)))
    assert not [event for event in events if isinstance(event, StreamData | StreamGap)]
    assert reassembler.counters.limits_reached == {}


def test_remembered_bytes_are_bounded() -> None:
    """Conflicts are seen within what is remembered; beyond it repeats are counted without comparison."""
    talk = Talk().open()
    for _ in range(20):
        talk.send(0, b"x" * 1_000)
    changed = [talk.packet(0, ACK, b"y" * 1_000, sequence=1_001 + index * 1_000) for index in range(20)]
    for remembered, conflicts in ((1 << 20, 20), (0, 0)):
        reassembler = Reassembler(TcpLimits(remembered=remembered))
        (seen,) = connections(reassembler.feed(batch(talk.frames + changed)) + reassembler.flush())
        assert seen.connection.counters[0].conflicts == conflicts
        assert seen.connection.counters[0].retransmissions == 20


def test_what_was_left_out_is_said() -> None:
    """A TCP header longer than its packet, a fragment whose others never come, and two segments out of any window."""
    whole = Talk().open().send(0, b"request")
    bad = bytearray(whole.packet(0, ACK, b"x"))
    bad[14 + 20 + 12] = 15 << 4
    fragment = ethernet(ipv4("10.0.0.1", "10.0.0.2", bytes(64), more=True))
    far = whole.packet(0, ACK, b"far", sequence=1_001 + (1 << 30))
    reassembler = Reassembler()
    reassembler.feed(batch([*whole.frames, bytes(bad), fragment, far, whole.packet(0, ACK, b"y", sequence=7 << 28)]))
    reassembler.flush()
    assert reassembler.counters.notes() == [
        "packets left out: their headers contradict themselves or end early: 1",
        "IP fragments left out: repeated, or the rest of their packet lacks: 1",
        "segments left out: far from all others of their stream: 1",
    ]
