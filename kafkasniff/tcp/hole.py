"""A hole in a stream: what its bytes are measured by until they come, or are proven lost."""

from typing import NamedTuple

from kafkasniff.tcp.limits import TcpLimits


class Hole(NamedTuple):
    """Bytes that lack, as they were first noticed."""

    order: int
    """Packets of the connection until then."""
    at: int
    """Position of the first byte."""
    end: int
    """Up to where the peer had acknowledged, or the FIN stood."""
    time: int
    """Nanoseconds since 1970."""
    packets: int
    """Packets of the direction until then."""
    heard: int
    """Packets of the peer until then."""

    def silence(
        self, order: int, time: int, packets: int, heard: int, limits: TcpLimits, reordering: int
    ) -> bool | None:
        """Tell whether the peer was silent for so long that it proves nothing any more that it did not acknowledge.

        None as long as the bytes may come late, by `reordering` packets; the others are what they are by now.
        """
        waited = order - self.order
        # Where directions were merged from two clocks, one may run far ahead of the other.
        if waited < reordering or (packets - self.packets < reordering // 4 and waited < limits.one_way_packets):
            return None
        silent = heard == self.heard
        return silent and (waited >= limits.one_way_packets or time - self.time >= limits.one_way_ns)
