"""What an engine counts."""

from kafkasniff.fields import Fields


class Counts(Fields):
    """What the engine has seen so far."""

    __slots__ = (
        "calls",
        "calls_in_part",
        "conflicts",
        "connections",
        "gap_bytes",
        "gaps",
        "kafka_connections",
        "missing_beginnings",
        "one_way_connections",
        "others",
        "tls_begun",
        "unread_ends",
    )

    def __init__(self) -> None:
        """Begin with nothing."""
        self.connections = 0
        self.kafka_connections = 0
        self.tls_begun = 0
        """Connections that began with TLS, also those that have not ended."""
        self.one_way_connections = 0
        """Kafka connections of which one direction is not in the capture at all."""
        self.missing_beginnings = 0
        """Kafka connections whose SYN is not in the capture."""
        self.others: dict[tuple[str, int], int] = {}
        """Connections that are not Kafka, by protocol (`empty`: no data) and the server's port; 0: too many ports."""
        self.calls = 0
        self.calls_in_part = 0
        """Calls of which the capture lacks bytes of the request or the response."""
        self.gaps = 0
        self.gap_bytes = 0
        self.unread_ends = 0
        """Kafka connections whose last bytes are no message, such as an impossible size."""
        self.conflicts = 0
        """Segments of Kafka connections that repeated bytes with other contents."""
