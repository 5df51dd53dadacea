"""What there is to say of a live capture beside its calls."""

from typing import NamedTuple

from kafkasniff.listening import Listening


class State(NamedTuple):
    """Counts since the beginning, and what there is at the moment."""

    packets: int
    dropped_packets: int
    """By the kernel."""
    cut_packets: int
    gaps: int
    gap_bytes: int
    connections: int
    """Those that ended."""
    kafka_connections: int
    """Of these."""
    open_connections: int
    """Kafka connections that have not ended."""
    in_flight: int
    """Requests on them that wait for their answers."""

    @classmethod
    def of(cls, listening: Listening) -> "State":
        """Give the state of a live capture, as it was a second ago at most."""
        summary = listening.summary
        counts = summary.counts
        return cls(
            summary.packets,
            summary.dropped_packets,
            summary.cut_packets,
            counts.gaps,
            counts.gap_bytes,
            counts.connections,
            counts.kafka_connections,
            *listening.in_flight,
        )

    def since(self, before: "State") -> "State":
        """Give what was counted after `before`, and what there is now."""
        counted = [now - then for now, then in zip(self[:-2], before[:-2], strict=True)]
        return State._make((*counted, self.open_connections, self.in_flight))
