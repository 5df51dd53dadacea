"""The last bytes that a stream delivered, with which repeated ones are compared."""

from kafkasniff.capture.packets import PacketBatch
from kafkasniff.tcp.chunks import Delivered
from kafkasniff.tcp.events import NO_PAYLOADS, RunSide, StreamData, StreamGap

_MOST = 64
"""Segments and gaps that are remembered; one more, and only the later half of them."""


class Recent:
    """What was delivered last, up to the stream's position without a break.

    The segments of a run are not copied as long as others follow in the next batch, as they mostly do.
    """

    __slots__ = ("_delivered", "_first", "_side", "batch")

    def __init__(self) -> None:
        """Begin with nothing."""
        self._delivered: list[Delivered] = []
        self.batch: PacketBatch | None = None
        """Of which segments are remembered that were not copied: those of `_side` from `_first` on, the latest."""
        self._side = NO_PAYLOADS
        self._first = 0

    def __getstate__(self) -> object:
        """Hold no buffer where it is carried elsewhere."""
        self.copy()
        return super().__getstate__()

    def __len__(self) -> int:
        """Give the number of segments and gaps."""
        return len(self._delivered) + len(self._side.ends) - self._first

    @property
    def delivered(self) -> list[Delivered]:
        """Give them in stream order."""
        self.copy()
        return self._delivered

    def add(self, event: StreamData | StreamGap) -> None:
        """Remember an event."""
        if self.batch is not None:
            self.copy()
        delivered = self._delivered
        delivered.append(event)
        if len(delivered) > _MOST:
            del delivered[: _MOST // 2]

    def add_run(self, batch: PacketBatch, side: RunSide) -> None:
        """Remember the segments of a run, as if each had come by itself."""
        count = len(side.ends)
        before = len(self._delivered) + len(self._side.ends) - self._first
        after = before + count
        if after > _MOST:
            # What `add` would have left of so many.
            after = _MOST // 2 + 1 + (after - _MOST - 1) % (_MOST // 2)
        if after <= count:
            self._delivered.clear()
        else:
            forgotten = before + count - after
            self._first += max(forgotten - len(self._delivered), 0)
            del self._delivered[:forgotten]
            self.copy()
        self.batch, self._side, self._first = batch, side, max(count - after, 0)

    def copy(self) -> None:
        """Copy what was not copied, so that it needs the batch's buffer no longer."""
        if self.batch is None:
            return
        data, times, first = self.batch.data, self.batch.times, self._first
        packets, ends, shifts, _, _, _ = self._side
        starts = (ends[first - 1] if first else 0, *ends[first:])
        self._delivered += [
            (data[start + shift : end + shift], times[packet])
            for packet, start, end, shift in zip(packets[first:], starts, ends[first:], shifts[first:], strict=False)
        ]
        self.batch, self._side, self._first = None, NO_PAYLOADS, 0
