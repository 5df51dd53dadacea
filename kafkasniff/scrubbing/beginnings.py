"""The first bytes of what sides of TLS connections send, put together from their packets."""

from collections.abc import Iterator

from kafkasniff.scrubbing.packets import Tcp
from kafkasniff.scrubbing.places import Direction
from kafkasniff.tcp.tls.beginning import begins_tls

_MOST_BYTES = 1 << 16
"""More than a handshake takes."""


class _Beginning:
    def __init__(self, direction: Direction, sequence: int) -> None:
        self.direction = direction
        self.sequence = sequence
        self.data = bytearray()
        self.later: dict[int, bytes] = {}
        """Bytes that came before those that they follow, by where they belong."""

    def add(self, at: int, data: bytes) -> None:
        self.later[at] = data
        while at <= len(self.data):
            data = self.later.pop(at)
            self.data += data[len(self.data) - at :]
            at = min(self.later, default=_MOST_BYTES)


class Beginnings:
    """Collects them; takes segments in the order of packets, also those that came twice or out of order."""

    def __init__(self) -> None:
        """Begin with none."""
        self._ended: list[_Beginning] = []
        self._last: dict[tuple[bytes, bytes], _Beginning] = {}

    def take(self, found: Tcp, payload: bytes, time: int) -> None:
        """Take a segment of any connection."""
        if not payload:
            return
        between = found.source, found.destination
        known = self._last.get(between)
        at = _MOST_BYTES if known is None else (found.sequence - known.sequence) & 0xFFFFFFFF
        if known is not None and at < _MOST_BYTES:
            known.add(at, payload)
        elif begins_tls(payload):
            if known is not None:
                self._ended.append(known)
            beginning = self._last[between] = _Beginning(Direction(time, time, *between), found.sequence)
            beginning.add(0, payload)

    def end(self) -> Iterator[tuple[Direction, int, bytes]]:
        """Give each with its sequence number."""
        for each in (*self._ended, *self._last.values()):
            yield each.direction, each.sequence, bytes(each.data)
