# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""The gaps of a connection as they are told: each once, however piecemeal its bytes were found lost."""

from kafkasniff.tcp.events import StreamGap

HELD_GAPS = 1_000
"""Gaps that are kept while it is not known whether a connection is Kafka."""


class Gaps:
    """Joins what lacks without a byte between, until data follow or the connection ends."""

    __slots__ = ("_closed", "_open", "left_out")

    def __init__(self) -> None:
        """Begin with none."""
        self._open: list[StreamGap | None] = [None, None]
        self._closed: list[StreamGap] = []
        self.left_out = 0
        """Gaps beyond `HELD_GAPS`, which were not kept."""

    def __bool__(self) -> bool:
        """Tell whether there is any that was not taken yet."""
        return bool(self._closed) or self._open != [None, None]

    def lose(self, gap: StreamGap) -> None:
        """Take a gap."""
        before = self._open[gap.direction]
        if before is not None:
            unknown = before.length is None or gap.length is None
            length = None if unknown else (before.length or 0) + (gap.length or 0)
            gap = before._replace(length=length)
        self._open[gap.direction] = gap

    def follow(self, direction: int) -> None:
        """Note that a packet of the direction came behind what lacks."""
        gap = self._open[direction]
        if gap is not None:
            self._open[direction] = None
            if len(self._closed) < HELD_GAPS:
                self._closed.append(gap)
            else:
                self.left_out += 1

    def take(self) -> list[StreamGap]:
        """Give those of which the end is known."""
        closed, self._closed = self._closed, []
        return closed
