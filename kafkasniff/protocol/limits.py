"""How much of a message is decoded."""

from typing import Final, NamedTuple

from kafkasniff.protocol.primitives import MAX_ELEMENTS

MAX_DEPTH: Final = 32
"""Most levels of messages within messages; protobuf's own parsers stop at 100."""

RECORDS_LIMIT: Final = 128 << 20
"""Most bytes that the records of one batch may have when decompressed."""

BYTES_PER_RECORD: Final = 512
"""What a record takes beside its text: so many are held at most as fit into the limit."""


class MessageLimits(NamedTuple):
    """Bounds on one message; what runs into one is shown up to there, with a problem."""

    elements: int = MAX_ELEMENTS
    """Array elements, integers not counted; of a damaged message a tenth of them. At least as many as a short message
    has bytes (`json_compiler.SHORT_BYTES`), as those of such are not counted."""
    depth: int = MAX_DEPTH
    """Levels of messages within messages, where the wire says how many there are: in the metrics of clients."""
