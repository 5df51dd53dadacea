"""Metrics of a follower, for Prometheus: how far behind it is, what it read, and what failed."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric, SummaryMetricFamily
from prometheus_client.registry import Collector

from kafkasniff.pipeline.follow.following import Following

PREFIX = "kafkasniff_pipeline_"


class FollowMetrics(Collector):
    """Gives the metrics when a registry asks for them."""

    def __init__(self, following: Following, tables: Sequence[str]) -> None:
        """Take the follower, which may not have looked yet, and the tables that it writes."""
        self._following = following
        self._tables = tables
        self._micro_batches = 0
        self._seconds = 0.0
        self._failed_tasks = 0
        self._renewals = 0

    def take(self, record: Mapping[str, Any]) -> None:
        """Count a micro-batch that was committed."""
        self._micro_batches += 1
        self._seconds += record["seconds"]
        self._failed_tasks += record["failed_tasks"]

    def renewed(self) -> None:
        """Count that all is read again."""
        self._renewals += 1

    def why_unready(self) -> str | None:
        """Give why nothing is followed; None where it is."""
        return "the directories were not looked at yet" if self._following.sight is None else None

    def describe(self) -> list[Metric]:
        """Give nothing: names need not be checked against those of other collectors."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Give all metrics as they are now."""
        state, sight = self._following.state, self._following.sight
        read = [each.modified_ns for each in state.files.values()]
        waiting = sight.waiting if sight is not None else 0
        newest = max(read, default=state.first_time)
        yield _gauge(
            "lag_seconds",
            "How long ago the newest file that was read was last written to; 0 where no other waits.",
            max(time.time() - newest / 1e9, 0) if waiting and newest else 0,
        )
        yield _gauge("waiting_files", "Files with content that are not read to their end.", waiting)
        yield _gauge("waiting_bytes", "Bytes of these files.", sight.waiting_bytes if sight is not None else 0)
        yield _gauge(
            "last_packet_timestamp_seconds",
            "The time of the latest packet that was read.",
            max(state.ends.values(), default=0) / 1e9,
        )
        yield _counter("files", "Files that were read, or found unreadable.", state.files_read)
        yield _counter("packets", "Packets that were read.", state.packets)
        unread = len(state.reasons()) + state.more_unread
        yield _gauge("unread_files", "Files that could not be read, or not to their end: the table `files`.", unread)
        rows = GaugeMetricFamily(f"{PREFIX}rows", "Rows of the run in each table.", labels=["table"])
        for table, count in state.counts(self._tables).items():
            rows.add_metric([table], count)
        yield rows
        meaning = "Micro-batches that this process committed, and the seconds that they took."
        yield SummaryMetricFamily(f"{PREFIX}micro_batch_seconds", meaning, self._micro_batches, self._seconds)
        yield _counter("failed_tasks", "Tasks of Spark that failed, each of which is tried again.", self._failed_tasks)
        yield _counter("renewals", "How often all was read again.", self._renewals)


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(f"{PREFIX}{name}", meaning, value)


def _counter(name: str, meaning: str, value: float) -> Metric:
    return CounterMetricFamily(f"{PREFIX}{name}", meaning, value)
