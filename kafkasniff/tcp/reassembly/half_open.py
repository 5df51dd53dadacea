# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Connections of which only a SYN was seen: a flood brings a million of them, so little is held of each."""

from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import Connection
from kafkasniff.tcp.reassembly.flow_keys import FlowKey, endpoints


class HalfOpen:
    """Stands where a `ConnectionState` would, until anything but a copy of its SYN comes."""

    __slots__ = ("first", "initial", "key", "last", "mss", "packets", "tunnel", "zero_windows")

    def __init__(self, key: FlowKey, tunnel: tuple[str, ...], initial: int, arrival: Arrival) -> None:
        """Begin with a SYN whose sequence number is `initial`."""
        self.key = key
        self.tunnel = tunnel
        self.initial = initial
        self.first = arrival
        self.last = arrival
        self.packets = 1
        self.zero_windows = 0
        self.mss = 0

    def add(self, arrival: Arrival) -> None:
        """Take a copy of the SYN."""
        self.last = arrival
        self.packets += 1

    def connection(self) -> Connection:
        """Give the connection, with what was counted of it."""
        connection = Connection(endpoints(self.key), 0, self.first, self.last, 0)
        connection.tunnel = self.tunnel
        counters = connection.counters[0]
        counters.packets, counters.zero_windows, counters.mss = self.packets, self.zero_windows, self.mss
        return connection
