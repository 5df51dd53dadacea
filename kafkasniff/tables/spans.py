# cython: language_level=3, annotation_typing=False, boundscheck=True, wraparound=False, initializedcheck=False
"""What was read of each file: rows of the table `files`."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.tables.rings import ring_of
from kafkasniff.tables.rows import Placed, file_row


def _measured(times: Any, captured: Any, original: Any) -> tuple[int, int, int]:
    """Give the first and the last time of packets, and how many were cut."""
    first = last = times[0]
    cut_packets = 0
    for index in range(len(times)):
        first, last = min(first, times[index]), max(last, times[index])
        if captured[index] < original[index]:
            cut_packets += 1
    return first, last, cut_packets


class _Span:
    """What was read of a file."""

    def __init__(self) -> None:
        self.packets = self.cut_packets = 0
        self.first: int | None = None
        self.last: int | None = None


class FileSpans:
    """Counts the packets of each file, and notes the times of the first and the last."""

    def __init__(self, paths: Sequence[str]) -> None:
        """Begin with nothing read of the files at `paths`."""
        self._spans = {path: _Span() for path in paths}

    def add(self, batch: PacketBatch) -> None:
        """Take packets of one file."""
        if not len(batch):
            return
        span = self._spans.setdefault(batch.interfaces[0].file, _Span())
        first, last, cut_packets = _measured(batch.times, batch.captured, batch.original)
        span.packets += len(batch)
        span.cut_packets += cut_packets
        span.first = first if span.first is None else min(span.first, first)
        span.last = last if span.last is None else max(span.last, last)

    def rows(self, damages: Sequence[CaptureError]) -> Iterator[Placed]:
        """Give the rows of the files; `damages` say what was wrong with some."""
        for path, span in self._spans.items():
            reasons = [str(each) for each in damages if str(each).startswith(f"{path}: ")]
            size = os.path.getsize(path) if os.path.isfile(path) else None
            counts = span.packets, span.cut_packets, None
            reason = "; ".join(reasons) or None
            row = file_row(ring_of(path), path, size, (span.first, span.last), counts, reason)
            yield "files", span.first or 0, row
