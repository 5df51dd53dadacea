"""Time alone, for captures in which nothing may come for long."""

from kafkasniff.tcp.events import ConnectionEnd, StreamData, StreamEvent, StreamGap
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.reassembler import Reassembler
from tests.tcp.conversations import ACK, CLIENT, FIN, MILLISECOND, RST, SERVER, START, SYN, batch, ethernet, ipv4, tcp

LIMITS = TcpLimits(start_ns=50 * MILLISECOND, hole_ns=100 * MILLISECOND, closing_ns=100 * MILLISECOND)


def up(sequence: int, acknowledgement: int, data: bytes = b"", flags: int = ACK) -> bytes:
    return ethernet(ipv4(CLIENT, SERVER, tcp(40_000, 9092, sequence, acknowledgement, flags, data)))


def down(sequence: int, acknowledgement: int, data: bytes = b"", flags: int = ACK) -> bytes:
    return ethernet(ipv4(SERVER, CLIENT, tcp(9092, 40_000, sequence, acknowledgement, flags, data)))


HANDSHAKE = [up(99, 0, flags=SYN), down(499, 100, flags=SYN | ACK), up(100, 500)]


def fed(*frames: bytes) -> tuple[Reassembler, list[StreamEvent]]:
    """A reassembler after these packets, all of the same moment, and what came of them."""
    reassembler = Reassembler(LIMITS)
    return reassembler, reassembler.feed(batch(frames, times=[START] * len(frames)))


def texts(events: list[StreamEvent]) -> list[object]:
    """Data as bytes, gaps as their length."""
    return [event.data if isinstance(event, StreamData) else event.length
            for event in events if isinstance(event, StreamData | StreamGap)]  # fmt: skip


def test_nothing_waits_where_nothing_lacks() -> None:
    reassembler, events = fed(*HANDSHAKE, up(100, 500, b"abc"))
    assert texts(events) == [b"abc"]
    assert reassembler.tick(START + 10_000 * MILLISECOND) == []


def test_data_without_a_beginning_come_when_no_earlier_can() -> None:
    reassembler, events = fed(up(100, 500, b"abc"))
    assert texts(events) == []
    assert texts(reassembler.tick(START + 49 * MILLISECOND)) == []
    assert texts(reassembler.tick(START + 50 * MILLISECOND)) == [b"abc"]


def test_a_hole_closes_when_its_bytes_were_acknowledged() -> None:
    reassembler, events = fed(*HANDSHAKE, up(110, 500, b"behind"), down(500, 116))
    assert texts(events) == []
    assert texts(reassembler.tick(START + 99 * MILLISECOND)) == []
    assert texts(reassembler.tick(START + 100 * MILLISECOND)) == [10, b"behind"]
    assert texts(reassembler.tick(START + 200 * MILLISECOND)) == []
    following = batch([up(116, 500, b"more")], times=[START + 300 * MILLISECOND], first_packet=6)
    assert texts(reassembler.feed(following)) == [b"more"]


def test_a_hole_that_may_be_sent_again_stays() -> None:
    reassembler, _ = fed(*HANDSHAKE, up(110, 500, b"behind"), down(500, 100))
    assert texts(reassembler.tick(START + 5_000 * MILLISECOND)) == []
    again = batch([up(100, 500, b"ten bytes!")], times=[START + 6_000 * MILLISECOND], first_packet=6)
    assert texts(reassembler.feed(again)) == [b"ten bytes!", b"behind"]


def test_lost_bytes_with_nothing_behind_them_are_said() -> None:
    reassembler, _ = fed(*HANDSHAKE, down(500, 150))
    assert texts(reassembler.tick(START + 100 * MILLISECOND)) == [50]


def test_a_reset_connection_ends() -> None:
    reassembler, events = fed(*HANDSHAKE, up(100, 500, b"abc"), down(500, 103, flags=RST))
    assert not [event for event in events if isinstance(event, ConnectionEnd)]
    assert [event.connection.ended_by for event in reassembler.tick(START + 100 * MILLISECOND)] == ["rst"]


def test_a_closed_connection_with_a_hole_ends() -> None:
    frames = [up(110, 500, b"behind", flags=FIN | ACK), down(500, 117, flags=FIN | ACK)]
    reassembler, _ = fed(*HANDSHAKE, *frames)
    events = reassembler.tick(START + 100 * MILLISECOND)
    assert texts(events) == [10, b"behind"]
    assert isinstance(events[-1], ConnectionEnd)
    assert reassembler.flush() == []
