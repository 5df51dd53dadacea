"""What all streams hold together."""

from typing import TYPE_CHECKING

from kafkasniff.capture.packets import PacketBatch
from kafkasniff.tcp.limits import TcpCounters, TcpLimits

if TYPE_CHECKING:
    from kafkasniff.tcp.streams import Stream


class Memory:
    """What all streams hold together."""

    __slots__ = ("_arrived", "borrowing", "buffered", "counters", "limits", "remembering")

    def __init__(self, limits: TcpLimits, counters: TcpCounters) -> None:
        """Start with nothing held."""
        self.limits = limits
        self.counters = counters
        self.buffered = 0
        self.remembering: dict[Stream, None] = {}
        self.borrowing: dict[Stream, None] = {}
        """Streams whose delivered bytes may still lie in the buffer of a batch."""
        self._arrived = 0

    @property
    def room(self) -> int:
        """Give how many bytes of payload may still arrive before all that was delivered is forgotten."""
        return self.limits.remembered - self._arrived

    def arrive(self, size: int) -> None:
        """Count a payload that arrives, and before it passes the limit forget all that was delivered."""
        self._arrived += size
        if self._arrived > self.limits.remembered:
            self._arrived = size
            for stream in list(self.remembering):
                stream.forget()

    def end_batch(self, batch: PacketBatch) -> None:
        """Keep no buffer but that of this batch."""
        for stream in list(self.borrowing):
            recent = stream.recent
            if recent is None or recent.batch is not batch:
                if recent is not None:
                    recent.copy()
                del self.borrowing[stream]
