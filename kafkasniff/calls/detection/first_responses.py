"""Whether a connection begins with responses of Kafka, where nothing of its client was captured."""

from bisect import bisect_right

from kafkasniff.calls.correlation.frames import SIZE_PREFIX
from kafkasniff.calls.resync.evidence import ID_STEP, LARGEST_PLAUSIBLE, SMALLEST_RESPONSE, looks_like_api_versions
from kafkasniff.calls.resync.held import HeldStream

RESPONSES_ALONE = 5
"""Responses in a row that are proof when no request was captured."""
PLACES = 8
"""Beginnings of segments among which a list of API versions is looked for."""


def evidence_of_first_responses(held: HeldStream, begun: bool, largest: int) -> str | None:
    """Say what proves that a server speaks Kafka; None where nothing does.

    `begun`: the stream is held from the connection's beginning on. No message of over `largest` bytes is looked at.
    """
    if begun and follows_ids(held, held.segment_starts[0]):
        return "answers that count their correlation ids up from the connection's beginning"
    for place in held.segment_starts[:PLACES]:
        prefix = held.read(place, SIZE_PREFIX)
        size = int.from_bytes(prefix, "big", signed=True) if prefix else -1
        if SMALLEST_RESPONSE < size <= largest:
            frame = held.read(place + SIZE_PREFIX, size)
            if frame is not None and looks_like_api_versions(frame):
                return "an answer that lists API versions"
    return None


def follows_ids(held: HeldStream, place: int) -> bool:
    """Tell whether from `place`, the beginning of a stream, frames follow each other whose ids a client counts up.

    What a sequence of responses proves alone, when no request was captured: sizes that lead from frame to frame, and
    correlation ids that begin near zero and go up in small steps (an acks=0 request leaves one out). Where a size
    leads to what the capture lacks, it goes on with a segment whose id comes next, for one response more.
    """
    expected, wanted = 0, RESPONSES_ALONE
    while wanted:
        if (response := _response(held, place, expected)) is None:
            if held.read(place, 8) is not None:
                return False
            later = held.segment_starts[bisect_right(held.segment_starts, place) :]
            place = next((start for start in later if _response(held, start, expected)), -1)
            if place < 0:
                return False
            wanted += 1
            continue
        size, correlation_id = response
        expected = correlation_id + 1
        place += SIZE_PREFIX + size
        wanted -= 1
    return True


def _response(held: HeldStream, place: int, expected: int) -> tuple[int, int] | None:
    """Read size and correlation id at `place`; None where they are not there, or the id does not come next."""
    prefix = held.read(place, 8)
    if prefix is None:
        return None
    size = int.from_bytes(prefix[:4], "big", signed=True)
    correlation_id = int.from_bytes(prefix[4:], "big", signed=True)
    if not SMALLEST_RESPONSE <= size <= LARGEST_PLAUSIBLE or not expected <= correlation_id < expected + ID_STEP:
        return None
    return size, correlation_id
