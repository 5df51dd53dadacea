"""Whether a connection begins with answers of Kafka, where no request was captured."""

from bisect import bisect_right

from kafkasniff.calls.evidence import ID_STEP, LARGEST_PLAUSIBLE, SMALLEST_RESPONSE
from kafkasniff.calls.held import HeldStream

ANSWERS_ALONE = 5
"""Answers in a row that are proof when no request was captured."""


def follows_ids(held: HeldStream, place: int) -> bool:
    """Tell whether from `place`, the beginning of a stream, frames follow each other whose ids a client counts up.

    What a sequence of answers proves alone, when no request was captured: sizes that lead from frame to frame, and
    correlation ids that begin near zero and go up in small steps (an acks=0 request leaves one out). Where a size
    leads to what the capture lacks, it goes on with a segment whose id comes next, for one answer more.
    """
    expected, wanted = 0, ANSWERS_ALONE
    while wanted:
        if (answer := _answer(held, place, expected)) is None:
            if held.read(place, 8) is not None:
                return False
            later = held.segment_starts[bisect_right(held.segment_starts, place) :]
            place = next((start for start in later if _answer(held, start, expected)), -1)
            if place < 0:
                return False
            wanted += 1
            continue
        size, correlation_id = answer
        expected = correlation_id + 1
        place += 4 + size
        wanted -= 1
    return True


def _answer(held: HeldStream, place: int, expected: int) -> tuple[int, int] | None:
    """Read size and correlation id at `place`; None where they are not there, or the id does not come next."""
    prefix = held.read(place, 8)
    if prefix is None:
        return None
    size = int.from_bytes(prefix[:4], "big", signed=True)
    correlation_id = int.from_bytes(prefix[4:], "big", signed=True)
    if not SMALLEST_RESPONSE <= size <= LARGEST_PLAUSIBLE or not expected <= correlation_id < expected + ID_STEP:
        return None
    return size, correlation_id
