"""Whether a connection begins with responses of Kafka, where nothing of its client was captured."""

import struct
from bisect import bisect_right

from kafkasniff.calls.correlation.frames import SIZE_PREFIX
from kafkasniff.calls.resync.evidence import ID_STEP, LARGEST_PLAUSIBLE, SMALLEST_REQUEST
from kafkasniff.calls.resync.held import HeldStream
from kafkasniff.calls.resync.response_evidence import SMALLEST_RESPONSE, looks_like_api_versions
from kafkasniff.protocol.headers import is_known

_HEADER = 12
"""Bytes of a size and a request header up to the correlation id, …"""
_HALF_ID = 10
"""… and up to the middle of that."""

RESPONSES_ALONE = 5
"""Responses in a row that are proof when no request was captured."""
REQUESTS = 3
"""Requests whose beginnings are looked at where their headers are cut."""
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


def begins_with_cut_requests(held: HeldStream) -> bool:
    """Tell whether a client's stream begins with what the snap length left of requests, too little for their headers.

    Of IPv6 packets of 96 bytes it leaves ten: size, API key, version, and the upper half of a correlation id, which is
    zero for long. Each size leads to the next request. The first is no Produce: behind a size any small integer reads
    as one, and ZooKeeper's clients begin so, and count their requests.
    """
    if not held.cut or held.read(0, _HEADER) is not None or held.read(SIZE_PREFIX, 2) in (None, b"\0\0"):
        return False
    place = 0
    for _ in range(REQUESTS):
        prefix = held.read_up_to(place, _HEADER)
        if len(prefix) < _HALF_ID:
            # It lies within a segment.
            return place > 0 and held.end > place
        size, api_key, api_version, half = struct.unpack_from(">ihhh", prefix)
        if not SMALLEST_REQUEST <= size <= LARGEST_PLAUSIBLE or min(api_key, api_version) < 0 or half:
            return False
        if not is_known(api_key, api_version):
            return False
        place += SIZE_PREFIX + size
    return True


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
