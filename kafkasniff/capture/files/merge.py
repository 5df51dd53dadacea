"""Several files as one capture: their packets merged by time."""

import heapq
from collections.abc import Iterator, Sequence

from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.files.walk import MAX_TIME, Columns
from kafkasniff.capture.packets import PacketBatch

MEMORY_BYTES = 256 << 20
"""Packet data held of all files together: those that overlap in time share it."""

MIN_CHUNK_BYTES = 64 << 10

MAX_OPEN_FILES = 64
"""Where more files than this overlap, each is closed between its reads: a process may have 1,024 open as a rule."""

NO_PACKETS = Columns().batch(b"", 1, [])


class StartedFile:
    """A file whose turn has come: its latest batch, and what of it was not given yet."""

    def __init__(self, reader: CaptureReader) -> None:
        """Begin to read; nothing is read before the first `advance`."""
        self._reader = reader
        self._chunk_bytes = reader.chunk_bytes
        self._batches = iter(reader)
        self._batch = NO_PACKETS
        self._position = 0

    def take_until(self, bound: int) -> PacketBatch:
        """Give the next packet and those after it up to the first at or past the time `bound`, within the batch."""
        batch = self._batch
        times = batch.times
        start, size = self._position, len(times)
        end = start + 1
        while end < size and times[end] < bound:
            end += 1
        self._position = end
        return batch if end - start == size else run(batch, start, end)

    def advance(self, files: int) -> int | None:
        """Give the next packet's time, reading on where need be as one of `files` that overlap; None at the end."""
        if self._position == len(self._batch):
            self._batch = NO_PACKETS  # the old data goes before the new comes
            self._reader.chunk_bytes = min(self._chunk_bytes, max(MEMORY_BYTES // files, MIN_CHUNK_BYTES))
            self._batch = next(self._batches, NO_PACKETS)
            self._position = 0
            if not self._batch:
                return None
            if files > MAX_OPEN_FILES:
                self._reader.park()
        return self._batch.times[self._position]


def run(batch: PacketBatch, start: int, end: int) -> PacketBatch:
    """Give the packets from index `start` to before `end` as a batch over the same buffer."""
    return PacketBatch(
        batch.data,
        batch.first_packet + start,
        batch.offsets[start:end],
        batch.captured[start:end],
        batch.original[start:end],
        batch.times[start:end],
        batch.interface_ids[start:end],
        batch.interfaces,
        None if batch.numbers is None else batch.numbers[start:end],
    )


def merge(readers: Sequence[CaptureReader]) -> Iterator[PacketBatch]:
    """Give the packets of all files by time, as runs of one file's packets.

    Each file keeps its own order, also where its clock steps back. Of equal times, the earlier file in `readers` comes
    first. A file is opened when the time of its first packet comes and closed at its end. What was wrong with a file
    stands in its reader's `damage` afterwards.
    """
    if len(readers) == 1:
        yield from readers[0]
        return
    # The next packet of each file that has one: its time, and the file's place in the order given.
    heads = [(time, place) for place, reader in enumerate(readers) if (time := reader.first_time()) is not None]
    heapq.heapify(heads)
    started: dict[int, StartedFile] = {}
    while heads:
        _, place = heapq.heappop(heads)
        if place not in started:
            started[place] = StartedFile(readers[place])
            if started[place].advance(len(started)) is None:
                del started[place]
                continue
        file = started[place]
        if heads:
            bound, other_place = heads[0]
            # At equal times this file goes first when it was given first.
            yield file.take_until(bound + (place < other_place))
        else:
            yield file.take_until(MAX_TIME + 1)
        time = file.advance(len(started))
        if time is None:
            del started[place]
        else:
            heapq.heappush(heads, (time, place))
