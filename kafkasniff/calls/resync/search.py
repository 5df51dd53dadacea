# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Finds the next frame boundary in a stream of which it is not known where its frames begin."""

from collections.abc import Callable, Iterator

from kafkasniff.calls.limits import Budget
from kafkasniff.calls.resync.evidence import ANSWER, PROOF, Score
from kafkasniff.calls.resync.held import HeldStream
from kafkasniff.calls.resync.integers import ARRAY_BYTES
from kafkasniff.calls.resync.lone_responses import LoneResponses
from kafkasniff.calls.resync.shapes import SHAPE_BYTES, request_shapes

OPEN_PLACES = 256
"""Places that may still turn out to be boundaries when more bytes have come."""
UNKNOWN = Score(0, 0)
SEARCHED_IDS = 64
"""Correlation ids that are looked for inside segments."""
LATE_BYTES = 64 << 10
"""Bytes that were searched before in which an id is looked for that became known later, as by a clock that differs."""


class BoundarySearch:
    """Holds a stream's bytes until a place in them is proven to be a frame boundary."""

    __slots__ = ("_known_ids", "_lone_responses", "_open", "_refused", "_scanned", "held")

    def __init__(self, limit: int, budget: Budget, start: int = 0, refused: int | None = None) -> None:
        """Hold at most `limit` bytes, from the stream position `start` on; `refused` is known to be no boundary."""
        self.held = HeldStream(limit, budget, start)
        self._refused = refused
        self._scanned = start
        self._open: dict[int, Score] = {}
        """Places not yet decided, with what was last said of them."""
        self._known_ids: set[int] = set()
        """Correlation ids that were looked for."""
        self._lone_responses: LoneResponses | None = None

    def find_request(self, score: Callable[[HeldStream, int], Score], again: bool) -> int | None:
        """Give the stream position of the first proven request frame, or None.

        `again` when something else than this stream may have brought evidence.
        """
        if self._scanned == self.held.end and not self._open:
            return None
        return self._find(self._request_places(), score, again)

    def find_response(
        self, score: Callable[[HeldStream, int], Score], again: bool, wanted_ids: Callable[[], list[int]]
    ) -> int | None:
        """Give the stream position of the first proven response frame, or None; `wanted_ids` are those it may have."""
        return self._find(self._response_places(wanted_ids), score, again)

    def find_lone_response(self, last_answer: int) -> int | None:
        """Give the stream position of the first response that proves itself, where no request was captured at all.

        `last_answer` is the correlation id of the last response before what is searched.
        """
        if self._lone_responses is None:
            self._lone_responses = LoneResponses()
        return self._lone_responses.find(self.held, True, last_answer)

    def _find(self, places: Iterator[int], score: Callable[[HeldStream, int], Score], again: bool) -> int | None:
        held = self.held
        first = held.segment_starts[0] if held.segment_starts else -1
        if first >= self._scanned and first != self._refused:
            # Mostly the first segment begins with a message, and no other place need be weighed.
            self._open[first] = score(held, first)
            if self._open[first].points >= PROOF:
                return first
        else:
            first = -1
        for place in places:
            if place != self._refused:
                self._open.setdefault(place, UNKNOWN)
        self._scanned = held.end
        for place in sorted(self._open):
            if place != first:
                if self._open[place].more_at > held.end and not again:
                    continue
                self._open[place] = score(held, place)
            points, more_at = self._open[place]
            if points >= PROOF:
                return place
            if points < 0 or (more_at <= held.end and points + ANSWER < PROOF):
                del self._open[place]
        if len(self._open) > OPEN_PLACES:
            best = sorted(self._open, key=lambda place: (-self._open[place].points, place))
            self._open = {place: self._open[place] for place in best[:OPEN_PLACES]}
        return None

    def _segment_starts(self) -> Iterator[int]:
        for start in reversed(self.held.segment_starts):
            if start < self._scanned:
                break
            yield start

    def _request_places(self) -> Iterator[int]:
        yield from self._segment_starts()
        for start, run in self.held.runs(self._scanned):
            settled = start + len(run) - ARRAY_BYTES
            for found in request_shapes(run, max(0, self._scanned - SHAPE_BYTES - start)):
                place = start + found
                # Weighing would find the same, but small integers in a row give places by the thousand.
                if place > settled or self.held.begins_write(place) or not self.held.is_among_small_integers(place):
                    yield place

    def _response_places(self, wanted_ids: Callable[[], list[int]]) -> Iterator[int]:
        yield from self._segment_starts()
        ids = wanted_ids()[:SEARCHED_IDS]
        late = [each for each in ids if each not in self._known_ids]
        self._known_ids = set(ids)
        yield from self._places_of(ids, self._scanned)
        yield from self._places_of(late, max(self._scanned - LATE_BYTES, 0))

    def _places_of(self, ids: list[int], scanned: int) -> Iterator[int]:
        """Give the places behind `scanned` where one of these ids stands behind what may be a size."""
        for start, run in self.held.runs(scanned):
            begin = max(0, scanned - 8 - start)
            for correlation_id in ids:
                wanted = correlation_id.to_bytes(4, "big", signed=True)
                found = run.find(wanted, begin + 4)
                while found >= 0:
                    if run[found - 4] < 0x10:
                        yield start + found - 4
                    found = run.find(wanted, found + 1)
