"""The bounds of the calls layer."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Bounds with defaults that a laptop stands; what runs into one is reported, never dropped in silence."""

    kept_message_bytes: int = 128 << 20
    """Bytes of one message that are kept; of a larger message the header, the sizes and a problem are shown."""
    largest_message_bytes: int = 1 << 30
    """A size prefix above this is taken for damage, not for a message."""
    search_bytes: int = 2 << 20
    """Bytes of one direction that are held while a frame boundary is searched for."""
    undecided_bytes: int = 32 << 20
    """Bytes of one direction after which a connection that has given no evidence of Kafka is given up."""
    pending_calls: int = 100_000
    """Requests of one connection that wait for their answers."""
    pending_bytes: int = 256 << 20
    """Bytes of the requests of one connection that wait for their answers."""
    early_responses: int = 1_000
    """Responses of one connection that wait for a request that may still be captured."""
