# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""What all streams hold together."""

from typing import TYPE_CHECKING

from kafkasniff.tcp.limits import TcpCounters, TcpLimits

if TYPE_CHECKING:
    from kafkasniff.tcp.reassembly.streams import Stream


class Memory:
    """What all streams hold together."""

    __slots__ = (
        "arrived",
        "buffered",
        "counters",
        "limits",
        "most_buffered",
        "most_remembered",
        "remembering",
        "reordering_packets",
    )

    def __init__(self, limits: TcpLimits, counters: TcpCounters) -> None:
        """Start with nothing held."""
        self.limits = limits
        self.counters = counters
        self.buffered = 0
        self.remembering: dict[Stream, None] = {}
        self.most_remembered = limits.remembered
        self.most_buffered = limits.buffered_in_all
        self.reordering_packets = limits.reordering_packets
        self.arrived = 0
        """Bytes of payload that came since all that was delivered was forgotten."""

    def forget(self, size: int) -> None:
        """Forget all that was delivered, as a payload of `size` bytes makes `arrived` pass the limit."""
        self.arrived = size
        for stream in list(self.remembering):
            stream.forget()
