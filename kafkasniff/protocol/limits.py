"""How much of a message is decoded."""

from typing import NamedTuple

from kafkasniff.protocol.embedded.protobuf import MAX_DEPTH
from kafkasniff.protocol.primitives import MAX_ELEMENTS


class MessageLimits(NamedTuple):
    """Bounds on one message; what runs into one is shown up to there, with a problem."""

    elements: int = MAX_ELEMENTS
    """Array elements, integers not counted; of a spoilt message a tenth of them. At least as many as a short message
    has bytes (`json_compiler.SHORT_BYTES`), as those of such are not counted."""
    depth: int = MAX_DEPTH
    """Levels of messages within messages, where the wire says how many there are: in the metrics of clients."""
