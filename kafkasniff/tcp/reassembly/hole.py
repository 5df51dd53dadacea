# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""A hole in a stream: what its bytes are measured by until they come, or are proven lost."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.tcp.limits import TcpLimits


@cython.freelist(64)
@cython.final
@cython.cclass
class Hole:
    """Bytes that lack, as they were first noticed."""

    __slots__ = ("at", "end", "heard", "order", "packets", "time")

    def __init__(self, order: int, at: int, end: int, time: int, packets: int, heard: int) -> None:
        """Note a hole."""
        self.order = order
        """Packets of the connection until then."""
        self.at = at
        """Position of the first byte."""
        self.end = end
        """Up to where the peer had acknowledged, or the FIN stood."""
        self.time = time
        """Nanoseconds since 1970."""
        self.packets = packets
        """Packets of the direction until then."""
        self.heard = heard
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
