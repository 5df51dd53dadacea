# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Segments far from all others of their stream: damaged or forged ones, or the stream leapt."""

from typing import TYPE_CHECKING

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.tcp.events import StreamEvent
from kafkasniff.tcp.reassembly.chunks import Chunk

if not cython.compiled:
    from kafkasniff.tcp.reassembly.sequence import LARGEST_LEAP, MASK, NEVER, distance

if TYPE_CHECKING:
    from kafkasniff.tcp.reassembly.streams import Stream

_CONFIRMING = 3


def take_out_of_window(stream: "Stream", sequence: int, chunk: Chunk, events: list[StreamEvent]) -> None:
    """Hold a segment far from the others; when several continue each other, the stream leapt there."""
    segments = stream.out_of_window or []
    if segments and segments[-1][0] == sequence:
        return
    if segments and (segments[-1][0] + segments[-1][1].end - segments[-1][1].start) & MASK != sequence:
        stream.memory.counters.implausible += len(segments)
        segments = []
    segments.append((sequence, chunk))
    if len(segments) < _CONFIRMING:
        stream.out_of_window = segments
        return
    stream.out_of_window = None
    by = chunk.arrival
    if not stream.anchored:
        stream.anchor()
    if stream.pending:
        stream.deliver_pending(stream.pending[-1].start, by, events)
    leap = distance(segments[0][0], stream.sequence)
    if stream.anchored and stream.position > stream.origin:
        stream.report_gap(leap if 0 < leap <= LARGEST_LEAP else None, by, False, events)
    stream.position += max(leap, 0)
    stream.sequence, stream.acked, stream.fin, stream.hole = segments[0][0], stream.position, NEVER, None
    for _, segment in segments:
        stream.deliver(segment.moved(stream.position), by, events)
