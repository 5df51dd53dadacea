"""What is left of holes at the end; how they are proven stands in test_streams.py and test_tick.py."""

from tests.tcp.conversations import ACK, FIN, Talk, connections, run


def test_what_waits_at_the_end_is_delivered_behind_a_gap() -> None:
    talk = Talk().open().send(0, b"one").send(0, b"two").send(0, b"three")
    del talk.frames[4]
    (seen,) = connections(run(talk.frames))
    assert seen.parts[0] == [b"one", 3, b"three"]


def test_both_sides_wait_and_come_in_the_order_of_their_packets() -> None:
    talk = Talk().open()
    talk.next[0] += 5
    talk.next[1] += 7
    talk.send(1, b"server").send(0, b"client", flags=FIN | ACK)
    (seen,) = connections(run(talk.frames))
    assert seen.parts == ([5, b"client"], [7, b"server"])
