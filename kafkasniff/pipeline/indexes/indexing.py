"""The reading task: one file into the places of its packets, sorted into buckets by connection."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, cast

import numpy as np

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.merge import run
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.pipeline.indexes.packet_keys import Connections, connection_number, read_keys
from kafkasniff.pipeline.indexes.pieces import REPORT, Numbers, PackedRow, Piece, as_row
from kafkasniff.pipeline.indexes.ranges import Range, RangeStream
from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.packets.segments import SegmentReader
from kafkasniff.typed_json import to_json

_MIX = np.uint64(0x9E3779B97F4A7C15)
_MOST_FRAGMENTS = 65_536
"""IP fragments of one file that wait for the others."""
_NOWHERE = -1
"""The bucket of packets that belong to no connection."""


Interfaces = list[tuple[int, int, int, str]]
"""Link type, time digits, snap length and name of each interface of a file."""


@dataclass(slots=True)
class FileReport:
    """What became of a file, or of a range of it."""

    part: int
    """Index among the ranges of all files."""
    packets: int = 0
    cut_packets: int = 0
    first_time: int | None = None
    """Nanoseconds since 1970, as is `last_time`: the earliest and the latest of its packets."""
    last_time: int | None = None
    reason: str | None = None
    """Why it was not read to its end."""
    interfaces: Interfaces = field(default_factory=list)
    secrets: bytes = b""
    """The TLS key logs in the capture."""
    unjoined_fragments: int = 0
    """IP fragments whose other fragments are not in the file."""
    opening_time: int | None = None
    """The time of the first packet in the file's order, in ns since 1970."""
    start: int | None = 0
    """Where in the file the first record begins; None where none was found."""
    end: int = 0
    """Where the last record ends."""


@dataclass(frozen=True, slots=True)
class IndexTask:
    """A file to index, or a range of it."""

    part: int
    """Index among the ranges of all files."""
    ring: int
    path: str
    buckets: int
    payload: bool
    """Whether the packets' bytes travel with their places."""
    chunk_bytes: int
    range: Range
    skipped: int = 0
    """Packets at the file's beginning that are passed over."""


class _Index:
    """Sorts the packets of one file into buckets."""

    def __init__(self, task: IndexTask, reader: CaptureReader, stream: RangeStream | None) -> None:
        self._task = task
        self._reader = reader
        self._counters = TcpCounters()
        self._segments = SegmentReader(TcpLimits(), self._counters)
        self._fragments: dict[int, Piece] = {}
        self._latest = 0
        self._shift = stream.shift if stream is not None else 0
        self._record_header = stream.record_header if stream is not None else 0
        self.report = FileReport(task.part)

    def rows(self) -> Iterator[PackedRow]:
        """Give the rows of all packets."""
        report = self.report
        for read in self._reader:
            batch = self._within(read)
            if not batch:
                break
            if (before := self._task.skipped - batch.first_packet + 1) > 0:
                self._latest = max(self._latest, *batch.times[:before])
                batch = run(batch, min(before, len(batch)), len(batch))
                if not batch:
                    continue
            times = np.frombuffer(batch.times, np.int64)
            first, last = int(times.min()), int(times.max())
            report.first_time = min(first if report.first_time is None else report.first_time, first)
            report.last_time = max(report.last_time or last, last)
            report.opening_time = batch.times[0] if report.opening_time is None else report.opening_time
            report.packets += len(batch)
            report.end = batch.offsets[-1] + batch.captured[-1] + self._origin
            captured, original = np.frombuffer(batch.captured, np.int64), np.frombuffer(batch.original, np.int64)
            report.cut_packets += int(np.count_nonzero(captured < original))
            keys = np.maximum.accumulate(np.maximum(times, self._latest))
            self._latest = int(keys[-1])
            piece = Piece(
                self._task.part,
                keys,
                times,
                np.arange(batch.first_packet, batch.first_packet + len(batch)),
                np.frombuffer(batch.offsets, np.int64) + self._origin,
                captured,
                original,
                np.frombuffer(batch.interface_ids, np.int64),
                None,
            )
            yield from self._sort(batch, piece)
        report.unjoined_fragments += len(self._fragments)

    @property
    def _origin(self) -> int:
        """Give what a position in the file is more than in the batch that was read last."""
        return self._reader.data_offset + self._shift

    def _within(self, batch: PacketBatch) -> PacketBatch:
        """Give the packets whose records begin within the range."""
        end = self._task.range.end
        if end is None:
            return batch
        count = bisect_left(batch.offsets, end - self._origin + self._record_header)
        return batch if count == len(batch) else run(batch, 0, count)

    def _sort(self, batch: PacketBatch, piece: Piece) -> Iterator[PackedRow]:
        """Give a row for each bucket that has packets in the batch."""
        keys = read_keys(batch)
        joined: list[tuple[int, int]] = []
        known = keys.usual.copy()
        for index in np.flatnonzero(~known).tolist():
            connection = self._connection_of(batch, piece, index, joined)
            if connection is not None:
                keys.connections[index], known[index] = connection, True
        buckets = np.where(known, self._buckets(keys.connections), _NOWHERE)
        order = np.argsort(buckets, kind="stable")
        ends = np.flatnonzero(np.diff(buckets[order], append=-2)) + 1
        start = 0
        for end in ends.tolist():
            rows = order[start:end]
            bucket = int(buckets[rows[0]])
            if bucket != _NOWHERE:
                yield as_row(bucket, self._task.ring, self._carry(batch, piece.take(rows)))
            start = end
        for number, connection in joined:
            bucket = int(self._buckets(np.array([connection], np.uint64))[0])
            yield as_row(bucket, self._task.ring, self._fragments.pop(number))

    def _connection_of(self, batch: PacketBatch, piece: Piece, index: int, joined: list[tuple[int, int]]) -> int | None:
        """Give the connection of an unusual packet; IP fragments wait for the packet that completes them."""
        arrival = batch.arrival(index)
        fragments = self._counters.fragments
        segment = self._segments.read(
            batch.data, batch.offsets[index], batch.captured[index], batch.original[index], arrival
        )
        if segment is None:
            if self._counters.fragments != fragments:
                self._fragments[arrival.packet] = self._carry(batch, piece.take(slice(index, index + 1)))
                if len(self._fragments) > _MOST_FRAGMENTS:
                    self._forget_fragment(next(iter(self._fragments)))
            return None
        connection = connection_number(segment.key[1] if isinstance(segment.key, tuple) else segment.key)
        joined += [(each.packet, connection) for each in segment.fragments if each.packet in self._fragments]
        return connection

    def _forget_fragment(self, number: int) -> None:
        del self._fragments[number]
        self.report.unjoined_fragments += 1

    def _buckets(self, connections: Connections) -> Numbers:
        mixed = connections ^ (connections >> np.uint64(30))
        mixed = (mixed * _MIX) >> np.uint64(33)
        return (mixed % np.uint64(self._task.buckets)).astype(np.int64)

    def _carry(self, batch: PacketBatch, piece: Piece) -> Piece:
        """Put the packets' bytes beside their places where they must travel."""
        if not self._task.payload:
            return piece
        starts = (piece.offsets - self._origin).tolist()
        data = b"".join(
            batch.data[at : at + length] for at, length in zip(starts, piece.captured.tolist(), strict=True)
        )
        offsets = np.cumsum(piece.captured) - piece.captured
        return piece._replace(offsets=offsets, payload=data)


def index_file(task: IndexTask) -> Iterator[PackedRow]:
    """Give the rows of one file, and at last its report; raises nothing.

    What stands before damage is given.
    """
    report = FileReport(task.part)
    try:
        stream = None if task.range.whole else RangeStream(task.path, task.range.start)
        if stream is not None and stream.first is None:
            stream.close()
            report.start = None
            yield report_row(report)
            return
        reader = CaptureReader(task.path if stream is None else cast(BinaryIO, stream), chunk_bytes=task.chunk_bytes)
    except CaptureError as error:
        report.reason = str(error)
    except (OSError, KeyError):
        # Gone, or no pcap any more; whoever reads the whole file says so.
        report.start = None
    else:
        index = _Index(task, reader, stream)
        report = index.report
        if stream is not None:
            report.start = report.end = stream.first or 0
        yield from index.rows()
        report.reason = str(reader.damage) if reader.damage is not None else None
        report.interfaces = [
            (each.link_type, each.time_digits, each.snap_length, each.name) for each in reader.interfaces
        ]
        report.secrets = b"\n".join(reader.take_secrets())
        reader.close()
        if stream is not None:
            stream.close()
    yield report_row(report)


def report_row(report: FileReport) -> PackedRow:
    """Give the row that holds a report."""
    return PackedRow(0, -1, 0, report.part, 0, REPORT, to_json(report, FileReport))
