"""Segments of one connection, one by one, and what each does."""

import struct

import pytest

from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.tcp.events import Connection, ConnectionEnd, Receiver, StreamData, StreamEvent, StreamGap
from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.reassembly.connections import ConnectionTable
from kafkasniff.tcp.reassembly.processing import SegmentProcessor

FIN, SYN, RST, ACK = 1, 2, 4, 16
CLIENT = struct.pack(">4s4sHH", bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]), 40_000, 9092)
SERVER = struct.pack(">4s4sHH", bytes([10, 0, 0, 2]), bytes([10, 0, 0, 1]), 9092, 40_000)
INTERFACE = Interface("made.pcap", 1)
MILLISECOND = 1_000_000


class Segments:
    """A processor, and a packet a millisecond for it."""

    def __init__(self, limits: TcpLimits | None = None) -> None:
        limits, self.counters = limits or TcpLimits(), TcpCounters()
        self.receiver, self.table = Receiver(), ConnectionTable(limits, self.counters)
        self.processor = SegmentProcessor(self.table, limits, self.counters, self.receiver)
        self.taken()
        self.packet = 0

    def __call__(
        self, key: bytes, sequence: int, acknowledgement: int, flags: int, data: bytes = b"", cut: int = 0
    ) -> list[StreamEvent]:
        """Give what the segment brought; the capture lacks the last `cut` bytes of it."""
        self.packet += 1
        arrival = Arrival(self.packet * MILLISECOND, self.packet, INTERFACE)
        # Stands in the middle of a buffer, as packets do.
        around, kept = b"before" + data[: len(data) - cut] + b"behind", len(data) - cut
        self.processor.receive(key, sequence, acknowledgement, flags, around, 6, kept, len(data), arrival)
        return self.taken()

    def taken(self) -> list[StreamEvent]:
        """Give what came since the last time, in order."""
        events = self.processor.events
        self.receiver.events = self.table.events = self.processor.events = []
        return events

    def open(self) -> "Segments":
        """The client's numbers go on at 1001, the server's at 5001."""
        handshake = ((CLIENT, 1000, 0, SYN), (SERVER, 5000, 1001, SYN | ACK), (CLIENT, 1001, 5001, ACK))
        assert [event for each in handshake for event in self(*each)] == []
        return self


def delivered(events: list[StreamEvent]) -> list[tuple[int, bytes]]:
    assert all(isinstance(event, StreamData) for event in events)
    return [(event.direction, event.data) for event in events if isinstance(event, StreamData)]


def end(events: list[StreamEvent]) -> Connection:
    (event,) = events
    assert isinstance(event, ConnectionEnd)
    return event.connection


def test_what_comes_next_is_given_at_once() -> None:
    segments = Segments().open()
    assert delivered(segments(CLIENT, 1001, 5001, ACK, b"request")) == [(0, b"request")]
    assert delivered(segments(SERVER, 5001, 1008, ACK, b"answer")) == [(1, b"answer")]


def test_what_comes_too_early_waits_for_what_lacks() -> None:
    segments = Segments().open()
    assert segments(CLIENT, 1004, 5001, ACK, b"two") == []
    (event,) = segments(CLIENT, 1001, 5001, ACK, b"one")[:1]
    assert isinstance(event, StreamData)
    assert event.data.startswith(b"one")


def test_bytes_that_the_capture_cut_off_are_a_gap() -> None:
    data, gap = Segments().open()(CLIENT, 1001, 5001, ACK, b"request", cut=3)
    assert isinstance(data, StreamData)
    assert isinstance(gap, StreamGap)
    assert (data.data, gap.length, gap.cut) == (b"requ", 3, True)


def test_sequence_numbers_begin_anew_behind_the_largest() -> None:
    segments = Segments()
    segments(CLIENT, (1 << 32) - 4, 0, SYN)
    segments(SERVER, 5000, (1 << 32) - 3, SYN | ACK)
    segments(CLIENT, (1 << 32) - 3, 5001, ACK)
    assert delivered(segments(CLIENT, (1 << 32) - 3, 5001, ACK, b"request")) == [(0, b"request")]
    assert delivered(segments(CLIENT, 4, 5001, ACK, b"second")) == [(0, b"second")]


def test_both_fins_end_a_connection() -> None:
    segments = Segments().open()
    assert segments(CLIENT, 1001, 5001, FIN | ACK) == []
    connection = end(segments(SERVER, 5001, 1002, FIN | ACK))
    assert (connection.ended_by, connection.ended_direction) == ("fin", 0)
    assert connection.first_fin is not None
    assert connection.first_fin.packet == 4
    # The last acknowledgement comes behind the end, and opens no connection.
    assert segments(CLIENT, 1002, 5002, ACK) == []
    assert (segments.counters.connections, segments.counters.after_end) == (1, 1)


def test_a_reset_of_a_connection_that_carried_nothing_ends_it() -> None:
    assert end(Segments().open()(SERVER, 5001, 1001, RST | ACK)).ended_by == "rst"


def test_a_reset_out_of_the_window_is_not_accepted() -> None:
    """RFC 5961, 3.2."""
    segments = Segments().open()
    assert segments(SERVER, 5001 + (1 << 30), 1001, RST) == []
    assert segments.counters.implausible == 1
    assert delivered(segments(SERVER, 5001, 1001, ACK, b"answer")) == [(1, b"answer")]


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_reset_ends_what_carried_bytes_unless_its_sender_goes_on(goes_on: bool) -> None:
    segments = Segments().open()
    segments(CLIENT, 1001, 5001, ACK, b"request")
    assert segments(SERVER, 5001, 1008, RST | ACK) == []
    if goes_on:
        assert delivered(segments(SERVER, 5001, 1008, ACK, b"answer")) == [(1, b"answer")]
    # More than `closing_ns` later.
    segments.processor.tick(5_000 * MILLISECOND)
    events = segments.taken()
    assert [end(events).ended_by] == ["rst"] if not goes_on else events == []


def test_an_answer_to_another_syn_is_none_to_this_one() -> None:
    segments = Segments()
    segments(CLIENT, 1000, 0, SYN)
    segments(SERVER, 5000, 1001, SYN | ACK)
    assert segments(SERVER, 5000, 900_000, SYN | ACK) == []
    assert segments.counters.implausible == 1


def test_a_sender_says_of_itself_how_much_it_takes() -> None:
    segments = Segments()
    segments(CLIENT, 1000, 0, SYN)
    segments.processor.note_sender(CLIENT, False, 1460)
    segments(SERVER, 5000, 1001, SYN | ACK)
    segments.processor.note_sender(SERVER, False, 8960)
    (event,) = segments(CLIENT, 1001, 5001, ACK, b"request")
    segments.processor.note_sender(SERVER, True, 0)
    client, server = event.connection.counters
    assert [(each.mss, each.zero_windows) for each in (client, server)] == [(1460, 0), (8960, 1)]


def test_of_an_unknown_connection_nobody_notes_a_sender() -> None:
    segments = Segments()
    segments.processor.note_sender(CLIENT, True, 1460)
    assert (segments.taken(), segments.counters.connections) == ([], 0)


def test_a_beginning_that_was_not_captured_waits_for_half_a_second() -> None:
    segments = Segments(TcpLimits(start_ns=500 * MILLISECOND))
    assert segments(CLIENT, 1001, 5001, ACK, b"request") == []
    segments.processor.tick(500 * MILLISECOND)
    assert segments.taken() == []
    segments.processor.tick(501 * MILLISECOND)
    assert delivered(segments.taken()) == [(0, b"request")]
