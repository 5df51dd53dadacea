"""What all streams hold together."""

from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.reassembler import Reassembler
from tests.tcp.conversations import ACK, Talk, batch


def test_all_is_forgotten_before_what_arrives_passes_the_limit() -> None:
    """Two segments of 40 bytes are within 100; with the third, all before it are forgotten."""
    talk = Talk().open().send(0, b"a" * 40).send(0, b"b" * 40)
    repeats = [talk.packet(0, ACK, letter * 40, sequence=1_001 + at) for letter, at in ((b"x", 0), (b"y", 40))]
    for before, conflicts in ((1, 1), (2, 0)):
        reassembler = Reassembler(TcpLimits(remembered=100))
        reassembler.feed(batch(talk.frames[: 3 + before] + repeats[:1]))
        (connection,) = {event.connection for event in reassembler.flush()}
        assert connection.counters[0].conflicts == conflicts
        assert connection.counters[0].retransmissions == 1


def test_of_many_segments_the_latest_are_remembered() -> None:
    talk = Talk().open()
    for _ in range(200):
        talk.send(0, b"x" * 10)
    changed = [talk.packet(0, ACK, b"y" * 10, sequence=1_001 + index * 10) for index in range(200)]
    reassembler = Reassembler()
    reassembler.feed(batch(talk.frames + changed))
    (connection,) = {event.connection for event in reassembler.flush()}
    assert connection.counters[0].retransmissions == 200
    assert connection.counters[0].conflicts == 64


def test_of_many_streams_fewer_segments_are_remembered() -> None:
    """Of 4,096 segments each of 64 directions has 64, each of 100 has 40, and each of 600 still 12."""
    for others, conflicts in ((63, 50), (99, 40), (599, 12)):
        frames = []
        for port in range(others):
            frames += Talk(client_port=1_024 + port).open().send(0, b"x").frames
        talk = Talk().open()
        for _ in range(50):
            talk.send(0, b"x" * 10)
        changed = [talk.packet(0, ACK, b"y" * 10, sequence=1_001 + index * 10) for index in range(50)]
        reassembler = Reassembler()
        reassembler.feed(batch(frames + talk.frames + changed))
        counters = [event.connection.counters[0] for event in reassembler.flush()]
        assert sum(each.conflicts for each in counters) == conflicts
        assert sum(each.retransmissions for each in counters) == 50
