"""Cuts one direction of a TLS connection into records (RFC 8446, 5.1), also behind lost bytes."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import StreamData, StreamGap
from kafkasniff.tcp.tls.beginning import LARGEST_FRAGMENT

CHANGE_CIPHER_SPEC, ALERT, HANDSHAKE, APPLICATION_DATA = 20, 21, 22, 23
HEADER = 5
_SEARCHED = 4 * LARGEST_FRAGMENT
_SHAPE = re.compile(rb"(?=([\x14-\x17]\x03[\x00-\x04][\x00-\x48]))", re.DOTALL)


class Record(NamedTuple):
    """A whole record."""

    position: int
    """Bytes of the run (see `RecordCutter`) before it."""
    header: bytes
    """Type, version and length of the fragment: 5 bytes."""
    fragment: bytes
    packets: tuple[Arrival, ...]
    """The packets that carried it, in stream order."""
    delivered_by: Arrival
    """The packet whose arrival let its last byte be delivered."""

    @property
    def content_type(self) -> int:
        """Give the type in the clear."""
        return self.header[0]

    @property
    def size(self) -> int:
        """Give the bytes that it takes in the stream."""
        return HEADER + len(self.fragment)


class RecordCutter:
    """Bytes go in, records come out: in turn while it is known where they begin, else as candidates.

    It holds a run: the bytes since the last record or gap. `aligned` is False when no record begins at the run's
    start; then some candidate has to be proven and taken.
    """

    __slots__ = ("_available", "_events", "_needed", "_skip", "_start", "_tried", "aligned", "lost")

    def __init__(self) -> None:
        """Stand at the beginning of a stream."""
        self.aligned = True
        self.lost: int | None = 0
        """Bytes that passed since the last record taken and belong to no record; None where a gap has no length."""
        self._events: list[StreamData] = []
        self._start = 0
        self._available = 0
        self._needed = HEADER
        """Bytes of the run from which on it is worth looking for a record at its start."""
        self._skip = 0
        """Bytes to come that belong to a record of which others are lost."""
        self._tried: set[int] = set()

    def push(self, event: StreamData) -> None:
        """Take the bytes that come next."""
        length = len(event.data)
        if self._skip:
            skipped = min(self._skip, length)
            self._skip -= skipped
            if skipped == length:
                return
            event = event.with_data(event.data[skipped:])
            length -= skipped
        self._events.append(event)
        self._available += length

    def push_gap(self, gap: StreamGap) -> None:
        """Take a gap: the run ends, and a new one begins behind the gap or behind the record that it cut."""
        size = self._record_size() if self.aligned else None
        missing = self._skip or (max(size - self._available, 0) if size is not None else 0)
        if gap.length is not None and self.aligned and gap.length <= missing:
            if not self._skip:
                self._pass(self._available + missing)
            self._skip = missing - gap.length
            return
        self.aligned = False
        self._pass(self._available)
        # What of a cut record was to be skipped is counted already.
        self._pass(None if gap.length is None else gap.length - self._skip)
        self._skip = 0

    def next_record(self) -> Record | None:
        """Give the record that begins the run, when it is whole; it stays there until it is taken.

        No record can begin there: `aligned` becomes False.
        """
        if self._available < self._needed or not self.aligned:
            return None
        size = self._record_size()
        if size is None:
            return None
        if self._available < size:
            self._needed = size
            return None
        return self._record_at(0, size)

    def take(self, record: Record) -> None:
        """Remove a record and the bytes before it; behind it begins the next."""
        left = record.position + record.size
        self._available -= left
        events = self._events
        index = 0
        left += self._start
        while index < len(events) and left >= len(events[index].data):
            left -= len(events[index].data)
            index += 1
        del events[:index]
        self._start = left
        self._needed = HEADER
        self.aligned = True
        self.lost = 0
        if self._tried:
            self._tried = set()

    def misalign(self) -> None:
        """Take back that a record begins the run."""
        self.aligned = False
        self._tried.add(0)

    def candidates(self) -> Iterator[Record]:
        """Give what looks like a whole record, wherever in the run it begins, each once."""
        run = b"".join(event.data for event in self._events)[self._start :]
        if len(run) > _SEARCHED:
            run = self._trim(run)
        for match in _SHAPE.finditer(run):
            position = match.start()
            if position in self._tried or position + HEADER > len(run):
                continue
            size = HEADER + int.from_bytes(run[position + 3 : position + HEADER], "big")
            if position + size <= len(run):
                self._tried.add(position)
                yield self._record_at(position, size)

    def _pass(self, length: int | None) -> None:
        self.lost = None if length is None or self.lost is None else self.lost + length
        self._events.clear()
        self._start = self._available = 0
        self._needed = HEADER
        self._tried = set()

    def _trim(self, run: bytes) -> bytes:
        """Let go of bytes in which no record began, keeping room for one that is not whole yet."""
        passed = len(run) - LARGEST_FRAGMENT - HEADER
        last = self._events[-1]
        kept = run[passed:]
        # A record found later is dated by its last packet alone.
        self._events = [last.with_data(kept)]
        self._start = 0
        self._available = len(kept)
        self._tried = {position - passed for position in self._tried if position >= passed}
        if self.lost is not None:
            self.lost += passed
        return kept

    def _record_size(self) -> int | None:
        """Give the size of the record that begins the run, None when its header is not there or is none."""
        if self._available < HEADER:
            return None
        header = self._read(0, HEADER)
        length = int.from_bytes(header[3:], "big")
        if not CHANGE_CIPHER_SPEC <= header[0] <= APPLICATION_DATA or header[1] != 3 or length > LARGEST_FRAGMENT:
            self.misalign()
            return None
        return HEADER + length

    def _read(self, position: int, count: int) -> bytes:
        """Give `count` bytes of the run, which has them."""
        position += self._start
        first = self._events[0].data
        if position + count <= len(first):
            return first[position : position + count]
        return b"".join(event.data for event in self._spanning(position, count))

    def _spanning(self, position: int, count: int) -> Iterator[StreamData]:
        """Give the parts of events that hold `count` bytes from `position` of the first event on."""
        for event in self._events:
            length = len(event.data)
            if position < length:
                yield (
                    event
                    if position == 0 and count >= length
                    else event.with_data(event.data[position : position + count])
                )
                count -= length - position
                if count <= 0:
                    return
                position = 0
            else:
                position -= length

    def _record_at(self, position: int, size: int) -> Record:
        start = position + self._start
        first = self._events[0]
        if start + size <= len(first.data):
            data = first.data
            end = start + size
            packets = (first.arrival, *first.fragments)
            return Record(
                position, data[start : start + HEADER], data[start + HEADER : end], packets, first.delivered_by
            )
        parts = list(self._spanning(start, size))
        data = b"".join([part.data for part in parts])
        arrivals = [arrival for part in parts for arrival in (part.arrival, *part.fragments)]
        return Record(position, data[:HEADER], data[HEADER:], tuple(arrivals), parts[-1].delivered_by)
