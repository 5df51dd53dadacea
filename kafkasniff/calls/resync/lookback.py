"""Finds the messages that stand before the first one proven, which nothing but the way to that one speaks for."""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import partial

from kafkasniff.calls.correlation.frames import SIZE_PREFIX
from kafkasniff.calls.resync.evidence import (
    ID_STEP,
    PROOF,
    goes_on,
    may_be_unknown_request,
    read_prefix,
    request_header,
    score_request,
)
from kafkasniff.calls.resync.fitting import Fitting
from kafkasniff.calls.resync.held import HeldStream
from kafkasniff.calls.resync.response_evidence import SMALLEST_RESPONSE, score_response
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.records.layout import batch_size

FARTHEST = 64 << 10
"""Bytes before a response in which the beginning of the one before it is looked for."""
SMALL_NUMBER = 255
"""Up to here numbers lie beside each other in bodies too, as in lists of replicas."""
SEGMENTS = 1_024
"""Segments before a proven frame that are looked at."""
FRAMES = 64
"""Frames that are followed from one of them on."""
PLACES = 256
"""Places that are looked at for one chain of responses."""
BODY_STEP = 3
"""How far the correlation id of a response is before the next one at most, where its own body does not speak for it."""
WITH_BODY = 12
"""Bytes of a response from which on some of its body is there."""
RUNS = 8
"""Stretches of bytes between gaps that are looked at for the last response in them."""
BODIES = 8
"""Bodies that are held against all layouts for one response."""


def earlier_responses(held: HeldStream, place: int, last_answer: int | None = None) -> int:
    """Give the first of the response frames that lead up to the proven one at `place`.

    Nothing but the chain speaks for them: sizes that end exactly where the next frame begins, and correlation ids
    just below that frame's, above `last_answer` if one is known. Without a gap between, those of small numbers must
    lead back to where a segment begins, or be the only place for the correlation id that comes right before, or have
    bodies that fit an API's layout. Sizes that lead over a gap must do so from where a segment begins, or to where one
    begins with the next id; where they end before the next frame, it must be one with which a sender's write begins.
    Right before a gap its body must speak for it.
    """
    fitting = Fitting()
    found = -1
    while found != place:
        found = place
        place = _first_of_chain(held, place, fitting)
        place = _from_segments(held, place, partial(_leads_to_response, last_answer=last_answer))
        if place == found:
            place = _over_gap(held, place, last_answer)
        if place == found:
            place = _before_gap(held, place, last_answer, fitting)
    return place


def _first_of_chain(held: HeldStream, place: int, fitting: Fitting) -> int:
    """Give the first of the responses that lead up to the one at `place` without a gap."""
    run = held.run_at(place)
    assert run is not None
    start, data = run
    found = place - start
    while (earlier := _chain(held, start, data, found, fitting)) is not None:
        found = earlier
    return start + found


def _over_gap(held: HeldStream, place: int, last_answer: int | None) -> int:
    """Give where the response begins whose size leads over a gap to the one at `place`, which has the next id.

    That is `place` itself where there is none, or more than one, or where that at `place` begins no segment.
    """
    before = _correlation_id(held, place) - 1
    if before <= (-1 if last_answer is None else last_answer) or not held.begins_segment(place):
        return place
    wanted = before.to_bytes(4, "big")
    found = []
    for start, data in held.runs(place - FARTHEST):
        if start + len(data) > place:
            break
        at = data.find(wanted, 4)
        while at >= 0:
            leads = int.from_bytes(data[at - SIZE_PREFIX : at], "big") == place - start - at
            if leads and not held.is_among_small_integers(start + at - SIZE_PREFIX, place):
                found.append(start + at - SIZE_PREFIX)
            at = data.find(wanted, at + 1)
    return found[0] if len(found) == 1 else place


def _before_gap(held: HeldStream, place: int, last_answer: int | None, fitting: Fitting) -> int:
    """Give where a response begins that ends where a gap begins, behind which that at `place` is the next.

    That is `place` itself where there is none.
    """
    if held.cut:
        # Where the bytes of a segment end that the capture has, no message does.
        return place
    following = _correlation_id(held, place)
    earlier = [(start, data) for start, data in held.runs(place - FARTHEST) if start + len(data) <= place]
    for start, data in reversed(earlier[-RUNS:]):
        found = _by_bodies(held, start, data, len(data), fitting, following)
        if found is not None and _number_at(data, found) > (-1 if last_answer is None else last_answer):
            return start + found
    return place


def earlier_requests(held: HeldStream, place: int) -> int:
    """Give the first of the request frames that lead up to the proven one at `place`, from where a segment begins.

    Where sizes end before the next frame, client id and correlation id must speak for it.
    """
    return _from_segments(held, place, _leads_to_request)


def _from_segments(held: HeldStream, place: int, leads_to: Callable[[HeldStream, int, int], bool]) -> int:
    """Give the earliest beginning of a segment from which frames lead to `place`, segment by segment."""
    count = bisect_left(held.segment_starts, place)
    for segment in reversed(held.segment_starts[max(count - SEGMENTS, 0) : count]):
        if leads_to(held, segment, place):
            place = segment
    return place


def _leads_to_request(held: HeldStream, segment: int, place: int) -> bool:
    if _request_comes_before(held, segment, place):
        return True
    at = segment
    for _ in range(FRAMES):
        prefix = read_prefix(held, at)
        header = None if prefix is None else request_header(prefix)
        if prefix is None or (header is None and not may_be_unknown_request(prefix, ())):
            return False
        at += SIZE_PREFIX + int.from_bytes(prefix[:SIZE_PREFIX], "big")
        if header is not None and not goes_on(held, header, at):
            return False
        if at >= place:
            break
    return at == place


def _request_comes_before(held: HeldStream, segment: int, place: int) -> bool:
    """Tell whether a segment begins with a request of the client of that at `place`, whose id is just above it."""
    size, prefix = held.read(segment, SIZE_PREFIX), read_prefix(held, place)
    following = request_header(prefix) if prefix is not None else None
    if size is None or following is None or segment + SIZE_PREFIX + int.from_bytes(size, "big") > place:
        return False
    last = following.correlation_id
    score = score_request(held, segment, lambda number: 0 < last - number <= ID_STEP, {following.client_id})
    return score.points >= PROOF


def _leads_to_response(held: HeldStream, segment: int, place: int, last_answer: int | None) -> bool:
    """Tell whether ids count up to that of the response at `place` too, from above `last_answer`, if that is known."""
    prefix = held.read(segment, 8)
    content = None if prefix is None else held.read(segment + SIZE_PREFIX, int.from_bytes(prefix[:SIZE_PREFIX], "big"))
    if content is not None and _holds_batches(content):
        return False
    if _comes_before(held, segment, place, last_answer):
        return True
    at, last = segment, last_answer
    for _ in range(FRAMES):
        prefix = held.read(at, 8)
        if prefix is None:
            return False
        size, correlation_id = int.from_bytes(prefix[:4], "big"), int.from_bytes(prefix[4:], "big", signed=True)
        if correlation_id < 0 or (last is not None and not 0 < correlation_id - last <= ID_STEP):
            return False
        if at == place:
            return True
        if size < SMALLEST_RESPONSE or at + SIZE_PREFIX + size > place or held.is_among_small_integers(at, place):
            return False
        at, last = at + SIZE_PREFIX + size, correlation_id
    return False


def _comes_before(held: HeldStream, segment: int, place: int, last_answer: int | None) -> bool:
    """Tell whether a segment begins with a response whose id is just below that of the one at `place`."""
    following = _correlation_id(held, place)

    def lost(correlation_id: int) -> bool | None:
        if correlation_id >= following:
            return None
        return following - correlation_id <= ID_STEP and (last_answer is None or correlation_id > last_answer)

    size = held.read(segment, SIZE_PREFIX)
    if size is None or segment + SIZE_PREFIX + int.from_bytes(size, "big") > place:
        return False
    # An id between two that are known, of a response that ends before the next one, needs less beside it; but where
    # there is no more, as of IPv6 packets of 96 bytes, it must stand where its sender began to write.
    alone = len(held.read_up_to(segment, WITH_BODY)) < WITH_BODY and not held.begins_write(segment)
    return score_response(held, segment, {}, lost).points >= PROOF - (last_answer is not None and not alone)


def _correlation_id(held: HeldStream, place: int) -> int:
    prefix = held.read(place, 8)
    assert prefix is not None
    return int.from_bytes(prefix[4:], "big", signed=True)


def _chain(held: HeldStream, start: int, data: bytearray, end: int, fitting: Fitting) -> int | None:
    """Give where the nearest provable response before the one at `end` begins, as offsets into `data`."""
    open_places = [end]
    seen = 0
    while open_places and seen < PLACES:
        following = open_places.pop()
        for place, correlation_id in reversed([*_before(data, following, _number_at(data, following))]):
            if correlation_id > SMALL_NUMBER or held.begins_segment(start + place):
                return place
            open_places.append(place)
            seen += 1
    following = _number_at(data, end)
    next_to_it = [place for place, correlation_id in _before(data, end, following) if correlation_id == following - 1]
    if len(next_to_it) == 1 and not held.is_among_small_integers(start + next_to_it[0], start + end):
        return next_to_it[0]
    found = _by_bodies(held, start, data, end, fitting, following)
    return _alone(held, start, data, end, fitting, following) if found is None else found


def _alone(held: HeldStream, start: int, data: bytearray, end: int, fitting: Fitting, following: int) -> int | None:
    """Give the only place from which a response may lead to the proven one at `end`, if a layout fits its body.

    Record batches have the id 0: their size leads there too.
    """
    near = [place for place, correlation_id in _before(data, end, following) if correlation_id >= following - BODY_STEP]
    if len(near) != 1 or not _number_at(data, near[0]) or held.is_among_small_integers(start + near[0], start + end):
        return None
    return near[0] if fitting.tells(bytes(data[near[0] + 4 : end])) is not None else None


def _by_bodies(held: HeldStream, start: int, data: bytearray, end: int, fitting: Fitting, following: int) -> int | None:
    """Give where the response that ends at `end` begins if its body, or the body before it, speaks for it.

    `following` is the correlation id of the next one.
    """
    left = BODIES
    for place, correlation_id in _before(data, end, following):
        if correlation_id < 1:
            break
        if held.is_among_small_integers(start + place, start + end):
            continue
        tells = fitting.tells(bytes(data[place + 4 : end]))
        if tells:
            return place
        near = tells is not None and correlation_id >= following - BODY_STEP
        for earlier, _ in _before(data, place, correlation_id) if near else ():
            if fitting.tells(bytes(data[earlier + 4 : place])):
                return place
            left -= 1
        left -= 1
        if left <= 0:
            break
    return None


def _before(data: bytearray, end: int, following: int) -> Iterator[tuple[int, int]]:
    """Give place and correlation id of what may be the response that ends at `end`, the likeliest first.

    `following` is the correlation id of the next one.
    """
    for correlation_id in range(following - 1, following - 1 - ID_STEP, -1):
        if correlation_id < 0:
            return
        wanted = correlation_id.to_bytes(4, "big")
        found = data.rfind(wanted, max(4, end - FARTHEST), end)
        while found >= 4:
            if int.from_bytes(data[found - 4 : found], "big") == end - found and not _holds_batches(data[found:end]):
                yield found - 4, correlation_id
            found = data.rfind(wanted, max(4, end - FARTHEST), found + 3)


def _holds_batches(content: bytes | bytearray) -> bool:
    """Tell whether record batches alone stand in what reads as a response with the correlation id 0.

    The size of the batches that end a Fetch response leads to the next response, and their offsets begin with zeros;
    a broker that sends them straight from its files begins a segment with them.
    """
    at = 0
    try:
        while not any(content[:4]) and at < len(content):
            size = batch_size(content, at, len(content))
            if size is None:
                break
            at += size
    except ProtocolError:
        return False
    return at > 0


def _number_at(data: bytearray, place: int) -> int:
    return int.from_bytes(data[place + 4 : place + 8], "big", signed=True)
