"""The line that says at the end what a capture was worth."""

from collections.abc import Mapping
from types import MappingProxyType

from kafkasniff.reading import Summary
from kafkasniff.render.times import NANOSECONDS, utc_text
from kafkasniff.render.unseen import unseen
from kafkasniff.render.words import count_text, size_text

NOTABLE_LAG_NS = NANOSECONDS // 2
"""How far behind a live capture must have been for it to be said."""


def failures_text(failures: Mapping[str, int]) -> str:
    """Say how much could not be shown, by the names of exceptions."""
    return f"{sum(failures.values()):,} not shown whole ({', '.join(sorted(failures))})"


def closing_notes(summary: Summary) -> list[str]:
    """Give in sentences what is wrong with a capture, which limits were reached, and what could not be judged."""
    said = [str(damage) for damage in summary.damages]
    return [
        *said,
        *summary.notes,
        *summary.not_decrypted,
        *(part.sentence for part in unseen(summary) if part.sentence),
    ]


def closing_line(summary: Summary, failures: Mapping[str, int] = MappingProxyType({})) -> str:
    """Give packets, connections and calls, what of them the capture lacks and what failed, without a line end."""
    counts = summary.counts
    kafka = f"{counts.kafka_connections:,} of {count_text(counts.connections, 'connection')} Kafka"
    calls = count_text(counts.calls, "call")
    if summary.matched is not None:
        calls = f"{summary.matched:,} of {calls} match{'es' if summary.matched == 1 else ''}"
    words = [count_text(summary.packets, "packet"), kafka, calls]
    if counts.gaps:
        words.append(f"{count_text(counts.gaps, 'gap')} of {size_text(counts.gap_bytes)}")
    if summary.dropped_packets:
        words.append(f"{count_text(summary.dropped_packets, 'packet')} dropped by the kernel")
    if summary.largest_lag_ns > NOTABLE_LAG_NS:
        words.append(f"up to {summary.largest_lag_ns / NANOSECONDS:.1f} s behind")
    if summary.cut_packets:
        words.append(count_text(summary.cut_packets, "cut packet"))
    if counts.one_way_connections:
        words.append(count_text(counts.one_way_connections, "one-way connection"))
    if counts.missing_beginnings:
        words.append(f"{count_text(counts.missing_beginnings, 'connection')} without a beginning")
    if summary.first_time is not None and summary.last_time is not None:
        seconds = (summary.last_time - summary.first_time) / NANOSECONDS
        words.append(f"{seconds:,.3f} s from {utc_text(summary.first_time, 6)}")
    if failures:
        words.append(failures_text(failures))
    return ", ".join(words)
