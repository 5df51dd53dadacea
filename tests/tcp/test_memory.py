"""What all streams hold together."""

from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.memory import Memory


def test_room_shrinks_with_what_arrives_and_is_given_back_at_once() -> None:
    memory = Memory(TcpLimits(remembered=100), TcpCounters())
    memory.arrive(60)
    assert memory.room == 40
    memory.arrive(40)
    assert memory.room == 0
    memory.arrive(30)
    assert memory.room == 70
