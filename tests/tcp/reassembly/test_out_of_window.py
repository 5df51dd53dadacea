"""Segments far from all others of their stream."""

from tests.tcp.conversations import ACK, FIN, Talk, connections, run


def test_two_far_segments_that_continue_each_other_are_no_leap_yet() -> None:
    talk = Talk().open().send(0, b"data")
    far = talk.next[0] + (100 << 20)
    talk.frames += [talk.packet(0, ACK, b"far", sequence=far), talk.packet(0, ACK, b"off", sequence=far + 3)]
    talk.send(0, b" and more", flags=FIN | ACK)
    (seen,) = connections(run(talk.frames))
    assert seen.parts[0] == [b"data and more"]


def test_far_segments_that_do_not_continue_each_other_are_no_leap() -> None:
    talk = Talk().open().send(0, b"data")
    talk.frames += [talk.packet(0, ACK, b"far", sequence=talk.next[0] + (100 << 20) + 5 * each) for each in range(9)]
    (seen,) = connections(run(talk.frames))
    assert seen.parts[0] == [b"data"]
