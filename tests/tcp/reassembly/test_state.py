"""Which SYN may be that of a stream whose beginning was not seen."""

from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.tcp.events import Connection, Endpoint, StreamEvent
from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.reassembly.memory import Memory
from kafkasniff.tcp.reassembly.state import may_begin
from kafkasniff.tcp.reassembly.streams import Stream

ARRIVAL = Arrival(0, 1, Interface("made", 1))


def stream() -> Stream:
    ends = (Endpoint("10.0.0.1", 1), Endpoint("10.0.0.2", 2))
    return Stream(Connection(ends, 0, ARRIVAL, ARRIVAL), 0, Memory(TcpLimits(), TcpCounters()))


def test_near_the_first_data_before_anything_is_delivered() -> None:
    made = stream()
    made.refer(10_000)
    assert may_begin(made, 9_000)
    assert may_begin(made, 11_000)
    assert not may_begin(made, 10_000 + (1 << 24))


def test_only_before_the_first_delivered_byte_afterwards() -> None:
    made, events = stream(), list[StreamEvent]()
    made.refer(10_000)
    made.anchor()
    made.take(10_000, b"delivered", 9, ARRIVAL, (), 1, events)
    assert may_begin(made, 10_000)
    assert may_begin(made, 9_990)
    assert not may_begin(made, 10_001)
