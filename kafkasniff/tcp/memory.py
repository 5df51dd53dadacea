"""What all streams hold together."""

from typing import TYPE_CHECKING

from kafkasniff.tcp.limits import TcpCounters, TcpLimits

if TYPE_CHECKING:
    from kafkasniff.tcp.streams import Stream


class Memory:
    """What all streams hold together."""

    __slots__ = ("_arrived", "buffered", "counters", "limits", "remembering")

    def __init__(self, limits: TcpLimits, counters: TcpCounters) -> None:
        """Start with nothing held."""
        self.limits = limits
        self.counters = counters
        self.buffered = 0
        self.remembering: dict[Stream, None] = {}
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
