"""Which connection is due when."""

import gc

from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.tcp.events import Connection, Endpoint
from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.reassembly.memory import Memory
from kafkasniff.tcp.reassembly.state import ConnectionState
from kafkasniff.tcp.reassembly.timers import NO_TIMER, Timers

ARRIVAL = Arrival(0, 1, Interface("made", 1))


def state() -> ConnectionState:
    ends = (Endpoint("10.0.0.1", 1), Endpoint("10.0.0.2", 2))
    return ConnectionState(bytes(12), Connection(ends, 0, ARRIVAL, ARRIVAL), Memory(TcpLimits(), TcpCounters()))


def test_the_earliest_comes_first_and_equal_times_in_the_order_set() -> None:
    timers, late, early, second = Timers(), state(), state(), state()
    assert (timers.next, timers.take(NO_TIMER)) == (NO_TIMER, None)
    for time, each in ((20, late), (10, early), (10, second)):
        timers.set(time, each, 3)
    assert timers.next == 10
    assert timers.first() is early
    assert timers.take(9) is None
    assert [timers.take(15), timers.take(15), timers.take(15)] == [early, second, None]
    assert timers.next == 20


def test_connections_that_ended_are_not_given() -> None:
    timers, ended, still = Timers(), state(), state()
    timers.set(1, ended, 2)
    timers.set(2, still, 2)
    ended.connection.ended_by = "rst"
    assert timers.take(5) is still
    assert timers.next == NO_TIMER


def test_timers_of_ended_connections_do_not_pile_up() -> None:
    timers = Timers()
    for time in range(10_000):
        each = state()
        timers.set(time, each, 1)
        each.connection.ended_by = "rst"
    held = [each for each in gc.get_objects() if isinstance(each, ConnectionState)]
    assert len(held) < 2_000
    assert timers.next > 8_000


def test_no_timer_is_later_than_a_time_can_be() -> None:
    """A capture may claim any time of 64 bits, and one at the end of them has nothing behind it."""
    timers = Timers()
    timers.set((1 << 63) - 1 + 500_000_000, state(), 1)
    assert timers.next == NO_TIMER
