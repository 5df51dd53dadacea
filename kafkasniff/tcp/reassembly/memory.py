# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""What all streams hold together."""

from typing import TYPE_CHECKING

from kafkasniff.tcp.limits import TcpCounters, TcpLimits

if TYPE_CHECKING:
    from kafkasniff.tcp.reassembly.streams import Stream

_MOST_OF_STREAM, _LEAST_OF_STREAM = 64, 12
"""Segments of a direction that are remembered where few are open, and where many are: …"""
_MOST_IN_ALL = 4096
"""… as many as fit into a processor's cache. With 400 streams of small calls, 64 of each cost a tenth of all time."""


class Memory:
    """What all streams hold together."""

    __slots__ = (
        "arrived",
        "buffered",
        "counters",
        "limits",
        "most_buffered",
        "most_of_stream",
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
        self.most_of_stream = _MOST_OF_STREAM
        """Segments and gaps of a direction that are remembered."""

    def begin(self, stream: "Stream") -> None:
        """Note that a stream begins to remember what it delivered."""
        self.remembering[stream] = None
        self._share_out()

    def end(self, stream: "Stream") -> None:
        """Note that a stream has forgotten what it delivered."""
        del self.remembering[stream]
        self._share_out()

    def _share_out(self) -> None:
        streams = max(len(self.remembering), 1)
        self.most_of_stream = min(max(_MOST_IN_ALL // streams, _LEAST_OF_STREAM), _MOST_OF_STREAM)

    def forget(self, size: int) -> None:
        """Forget all that was delivered, as a payload of `size` bytes makes `arrived` pass the limit."""
        self.arrived = size
        for stream in list(self.remembering):
            stream.forget()
