# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""How strongly bytes speak for a response of Kafka's beginning at a place of a stream, in the points of `evidence`."""

from collections.abc import Callable

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.resync.agreement import agreement_of_cut, is_fetched
from kafkasniff.calls.resync.evidence import (
    CHAIN,
    FIRST_BYTES,
    ID_STEP,
    IMPOSSIBLE,
    LARGEST_PLAUSIBLE,
    PROOF,
    Score,
    produces,
    request_header,
)
from kafkasniff.calls.resync.held import HeldStream
from kafkasniff.protocol.api_keys import API_VERSIONS
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies import decode_body
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.headers import is_known, read_request_header, read_response_header, response_header_version

if not cython.compiled:
    from kafkasniff.calls.resync.evidence import next_look, read_prefix, segment_points, size_doubts
    from kafkasniff.octets import signed32

SMALLEST_RESPONSE = 4
TOLD_BODY = 16
"""Bytes of a body from which on it may contradict its layout, and is more than an array of some integers."""
SMALLEST_API_VERSIONS = 58
"""Bytes of a list of eight APIs with their versions, correlation id and error code before it, in version 0."""


def _is_not_told(correlation_id: int) -> None:
    """Tell nothing of requests that the capture lacks."""


def score_response(
    held: HeldStream,
    offset: int,
    pending: dict[int, tuple[int, int]],
    lost: Callable[[int], bool | None] = _is_not_told,
    previous_id: int | None = None,
    chain: int = CHAIN,
) -> Score:
    """Weigh a response frame at the stream position `offset`.

    `pending` has API key and version of the unanswered requests by correlation id; `lost` tells whether a request
    that the capture lacks may have had a correlation id (None: a later one may have it); `previous_id` is that of the
    frame before this one.
    """
    prefix = held.read(offset, 8)
    if prefix is None:
        return Score(0, held.end + 1)
    size = signed32(prefix, 0)
    if not SMALLEST_RESPONSE <= size <= LARGEST_PLAUSIBLE:
        return IMPOSSIBLE
    correlation_id = signed32(prefix, 4)
    end = offset + 4 + size
    asked = pending.get(correlation_id)
    following_id = _id_at(held, end)
    if not correlation_id and held.read(offset + 4, size) is None and following_id not in (None, 1):
        # The size of the record batches that end a response leads to the next one, and their offset begins with zeros.
        return IMPOSSIBLE
    counts_up = following_id == correlation_id + 1 and (asked is not None or held.begins_segment(offset))
    if chain == CHAIN and not counts_up and not held.begins_write(offset) and held.is_among_small_integers(offset):
        return IMPOSSIBLE
    points = segment_points(held, offset)
    frame = held.read(offset + 4, size)
    step = None if previous_id is None else correlation_id - previous_id
    if asked is not None:
        points += 2 + (step is not None and 0 < step <= ID_STEP)
        if not is_known(*asked):
            # Nothing but its id can be held against what was asked.
            pass
        elif frame is not None:
            header_end = read_response_header_end(frame, *asked)
            if header_end is None:
                return IMPOSSIBLE
            body = decode_body(*asked, "response", frame, header_end, values=False)
            if body.value is None or body.end < len(frame):
                return IMPOSSIBLE
            points += (2 if size >= 16 else 1) if not body.problems else 0
        else:
            agreement = agreement_of_cut(held, offset + 4, size, "response", *asked)
            if agreement < 0:
                return IMPOSSIBLE
            points += agreement
            told = held.read(offset, 8 + min(size - 4, TOLD_BODY)) is not None
            if not held.begins_write(offset) and not (told and (agreement or held.begins_segment(offset))):
                # Any two small integers may be size and id, as long as hardly anything of a body is there.
                points = min(points, PROOF - 1)
    elif frame is not None and looks_like_api_versions(frame):
        points += 4
    elif (unseen := lost(correlation_id)) is False:
        return IMPOSSIBLE
    elif unseen and (step is not None or chain == CHAIN):
        points += lone_points(held, offset, end, correlation_id, step, chain == CHAIN)
        # Where there is proof without it, it changes nothing, and takes long.
        if frame is None and points < PROOF + size_doubts(held, size, end) and is_fetched(held, offset + 4, size):
            points += 2
        if frame is None and chain == CHAIN and not is_all_there(held, offset, end):
            # What comes behind it may still contradict it.
            return Score(min(points, PROOF - 1), next_look(held, offset, end))
    elif chain < CHAIN and step is not None and not 0 < step <= ID_STEP:
        return IMPOSSIBLE
    points = max(points - size_doubts(held, size, end), 0)
    if end == held.end and held.run_at(end - 1) is not None:
        return Score(points + 1, end + SMALLEST_RESPONSE)
    if chain <= 1:
        return Score(points, next_look(held, offset, end))
    following = score_response(held, end, pending, lost, correlation_id, chain - 1)
    if following.points < 0:
        return IMPOSSIBLE
    if asked is None and following_id is not None and not 0 < following_id - correlation_id <= ID_STEP:
        # The length of a field that ends its message leads to the next one too.
        return IMPOSSIBLE
    if not following.points and not held.begins_segment(offset) and following_id is not None:
        # What stands behind it says nothing, and small integers in a body look like a frame.
        points = min(points, PROOF - 1)
    return Score(points + following.points, max(end, following.more_at))


def _id_at(held: HeldStream, place: int) -> int | None:
    """Give the correlation id of the response that begins at a stream position, if it is there."""
    number = held.read(place + 4, 4)
    return None if number is None else signed32(number, 0)


def lone_points(held: HeldStream, offset: int, end: int, correlation_id: int, step: int | None, first: bool) -> int:
    """Weigh a response whose request is lost: `step` is how far its correlation id is beyond the one before it.

    Nothing but its id speaks for it, so inside a segment chance must have few places, and the ids must count up. Where
    there is none before it (None), it is one of those just below the first request's. Short responses read as an array
    of small integers, in which hardly any is followed by the next higher id where it, as a size, leads to. So do zero,
    the commonest of all, and those behind a gap in such an array, unless their size leads to more that is there.
    """
    counts_up = step is None or step == 1 or (first and 0 < step <= ID_STEP)
    may_be_integers = held.begins_array(offset) or (
        held.run_at(end - 1) is None
        and (not correlation_id or (held.may_continue_array(offset) and not held.begins_write(offset)))
    )
    if may_be_integers and not (held.begins_segment(offset) and _id_at(held, end) == correlation_id + 1):
        return 0
    if step is not None and step > 1 and held.follows_gap(offset):
        # Where a gap ends, a segment begins, but not always a write.
        return 2 if counts_up else 0
    return 3 if counts_up and (held.begins_segment(offset) or held.is_short(offset)) else 0


def is_all_there(held: HeldStream, offset: int, end: int) -> bool:
    """Tell whether all that will ever be there of a frame's first bytes is there."""
    seen = min(end - offset, FIRST_BYTES)
    return held.ended or held.read(offset, seen) is not None or held.read_to_gap(offset, seen) is not None


def read_response_header_end(frame: bytes, api_key: int, api_version: int) -> int | None:
    """Give where the body of a response begins, or None when the header does not decode."""
    try:
        return read_response_header(frame, response_header_version(api_key, api_version))[1]
    except ProtocolError:
        return None


def looks_like_api_versions(frame: bytes) -> bool:
    """Tell whether a response frame is a list of API versions, which no other protocol sends by chance."""
    for version in (3, 0, 1) if len(frame) >= SMALLEST_API_VERSIONS else ():
        body = decode_body(API_VERSIONS, version, "response", frame, 4)
        if body.value is not None and not body.problems:
            keys = body.value["apiKeys"]
            known = sum(1 for entry in keys if entry["apiKey"] in APIS)
            return len(keys) >= 8 and known * 2 > len(keys)
    return False


def may_be_response(held: HeldStream, offset: int) -> bool:
    """Tell whether what reads as a request at `offset` may be a response just as well.

    The correlation id of a response, as long as it is small, stands where a request has the API key 0 (Produce) and its
    version. A whole request proves itself by what its body names, or its client id; of others, ids that count up from
    frame to frame are no versions.
    """
    prefix = read_prefix(held, offset)
    if prefix is None or prefix[4:6] != b"\0\0":
        return False
    size, correlation_id = int.from_bytes(prefix[:4], "big"), int.from_bytes(prefix[4:8], "big")
    frame = held.read(offset + 4, size)
    header = request_header(prefix)
    if frame is not None and header is not None:
        body = decode_body(header.api_key, header.api_version, "request", frame, read_request_header(frame).end)
        return not header.client_id and (body.value is None or not produces(header, body.value))
    following = held.read(offset + 4 + size, 8)
    return following is None or 0 < int.from_bytes(following[4:], "big", signed=True) - correlation_id <= ID_STEP
