"""Finds the responses that stand before the first one proven: their requests were sent before the capture began."""

from collections.abc import Iterator

from kafkasniff.calls.evidence import ID_STEP
from kafkasniff.calls.fitting import Fitting
from kafkasniff.calls.held import HeldStream

FARTHEST = 64 << 10
"""Bytes before a response in which the beginning of the one before it is looked for."""
SMALL_NUMBER = 255
"""Up to here numbers lie beside each other in bodies too, as in lists of replicas."""
PLACES = 256
"""Places that are looked at for one chain of responses."""
BODY_STEP = 3
"""How far the correlation id of a response is before the next one at most, where its body is to speak for it."""
BODIES = 8
"""Bodies that are held against all layouts for one response."""


def earlier_responses(held: HeldStream, place: int) -> int:
    """Give the first of the response frames that lead up to the proven one at `place`, without a gap between.

    Nothing but the chain speaks for them: sizes that end exactly where the next frame begins, and correlation ids
    just below that frame's. Those of small numbers must lead back to where a segment begins, or be the only place
    for the correlation id that comes right before, or have bodies that fit an API's layout.
    """
    run = held.run_at(place)
    assert run is not None
    start, data = run
    found = place - start
    fitting = Fitting()
    while (earlier := _chain(held, start, data, found, fitting)) is not None:
        found = earlier
    return start + found


def _chain(held: HeldStream, start: int, data: bytearray, end: int, fitting: Fitting) -> int | None:
    """Give where the nearest provable response before the one at `end` begins, as offsets into `data`."""
    open_places = [end]
    seen = 0
    while open_places and seen < PLACES:
        following = open_places.pop()
        for place, correlation_id in reversed([*_before(data, following)]):
            if correlation_id > SMALL_NUMBER or held.begins_segment(start + place):
                return place
            open_places.append(place)
            seen += 1
    following = _correlation_id(data, end)
    next_to_it = [place for place, correlation_id in _before(data, end) if correlation_id == following - 1]
    if len(next_to_it) == 1 and not held.is_among_small_integers(start + next_to_it[0], start + end):
        return next_to_it[0]
    return _by_bodies(held, start, data, end, fitting)


def _by_bodies(held: HeldStream, start: int, data: bytearray, end: int, fitting: Fitting) -> int | None:
    """Give where the response before the one at `end` begins if its body, or the body before it, speaks for it."""
    left = BODIES
    following = _correlation_id(data, end)
    for place, correlation_id in _before(data, end):
        if correlation_id < max(following - BODY_STEP, 1):
            break
        if held.is_among_small_integers(start + place, start + end):
            continue
        tells = fitting.tells(bytes(data[place + 4 : end]))
        if tells:
            return place
        for earlier, _ in _before(data, place) if tells is not None else ():
            if fitting.tells(bytes(data[earlier + 4 : place])):
                return place
            left -= 1
        left -= 1
        if left <= 0:
            break
    return None


def _before(data: bytearray, end: int) -> Iterator[tuple[int, int]]:
    """Give place and correlation id of what may be the response before the one at `end`, the likeliest first."""
    following = _correlation_id(data, end)
    for correlation_id in range(following - 1, following - 1 - ID_STEP, -1):
        if correlation_id < 0:
            return
        wanted = correlation_id.to_bytes(4, "big")
        found = data.rfind(wanted, max(4, end - FARTHEST), end)
        while found >= 4:
            if int.from_bytes(data[found - 4 : found], "big") == end - found:
                yield found - 4, correlation_id
            found = data.rfind(wanted, max(4, end - FARTHEST), found + 3)


def _correlation_id(data: bytearray, place: int) -> int:
    return int.from_bytes(data[place + 4 : place + 8], "big", signed=True)
