# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Finds frame boundaries again in both directions of a connection, with what its other messages tell."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.correlation.frames import SIZE_PREFIX, FrameCutter
from kafkasniff.calls.correlation.pairing import Pairing
from kafkasniff.calls.correlation.segments import LargestSegments
from kafkasniff.calls.limits import Budget
from kafkasniff.calls.resync.evidence import (
    CLIENT_ID_LIMIT,
    HARDLY_PLAUSIBLE,
    HEADER_BYTES,
    ID_STEP,
    LARGEST_PLAUSIBLE,
    SMALLEST_REQUEST,
    Score,
    may_be_unknown_request,
    request_header,
    score_request,
    tells_client,
)
from kafkasniff.calls.resync.held import HeldStream
from kafkasniff.calls.resync.lost_ids import NO_ID, LostIds
from kafkasniff.calls.resync.response_evidence import SMALLEST_RESPONSE, score_response
from kafkasniff.protocol.errors import ProtocolError

if not cython.compiled:
    from kafkasniff.calls.resync.shapes import next_shape
    from kafkasniff.octets import signed32
    from kafkasniff.protocol.headers import read_request_header

if TYPE_CHECKING:  # where no bytes lack, nothing is searched for
    from kafkasniff.calls.resync.search import BoundarySearch

SEGMENTS_FOR_ANSWERS = 64
_MOST_CLIENT_IDS = 1_000
"""Client ids of one connection; it has one, but for a proxy's."""


class Boundaries:
    """The searches of a connection that is known to be Kafka, and what they go by."""

    __slots__ = (
        "_budget",
        "_client",
        "_ended",
        "_limit",
        "_pairing",
        "answer_id",
        "client_ids",
        "last_client_id",
        "lost_ids",
        "request_id",
        "searches",
        "searching",
    )

    def __init__(self, client: int, limit: int, budget: Budget, pairing: Pairing, from_the_beginning: bool) -> None:
        """Search nothing yet; a search may hold `limit` bytes. The stream of requests is there `from_the_beginning`."""
        self._client = client
        self._limit = limit
        self._budget = budget
        self._pairing = pairing
        self._ended = False
        self.searches: list[BoundarySearch | None] = [None, None]
        """By direction; None where it is known where the next frame begins."""
        self.searching = False
        """Whether there is any."""
        self.client_ids: set[str | None] = set()
        self.last_client_id: str | None = ""
        """The one that was known last."""
        self.request_id = self.answer_id = NO_ID
        """The correlation ids of the last request and of the last response; `NO_ID` before the first."""
        self.lost_ids = LostIds(from_the_beginning)

    @property
    def last_request(self) -> int | None:
        """Give the correlation id of the last request."""
        return None if self.request_id == NO_ID else self.request_id

    @property
    def last_answer(self) -> int | None:
        """Give the correlation id of the last response."""
        return None if self.answer_id == NO_ID else self.answer_id

    def know_client(self, client_id: str | None) -> None:
        """Take a client id that a request of the connection names; one that no search looks for is not kept."""
        if len(client_id or "") <= CLIENT_ID_LIMIT and len(self.client_ids) < _MOST_CLIENT_IDS:
            self.client_ids.add(client_id)
            self.last_client_id = client_id

    def begin(self, direction: int) -> None:
        """Search a direction of which nothing is known from its first byte on."""
        from kafkasniff.calls.resync.search import BoundarySearch

        self._search(direction, BoundarySearch(self._limit, self._budget))

    def begins_frame(self, cutters: Sequence[FrameCutter], direction: int, data: bytes, length: int) -> bool:
        """Tell whether a segment behind one whose end was not captured begins with the frame that comes next.

        It has `length` bytes, of which `data` were captured. Mostly its sender began to write there, and no search is
        needed where that proves itself: a request by the client id of the connection and an id right behind the last
        one, a response by the id of a request that waits or is lost, and by a size that leads to the end of the
        segment, or less far where the segment before it was no full one.
        """
        if len(data) < SIZE_PREFIX + SMALLEST_RESPONSE:
            return False
        size = signed32(data, 0)
        if direction != self._client:
            number, end = signed32(data, SIZE_PREFIX), SIZE_PREFIX + size
            if not 0 < number - self.answer_id <= ID_STEP:
                return False
            if not self._pairing.waits_for(number) and self.lost_ids.may_have(number) is not True:
                return False
            first, second = cutters
            full = max(first.largest_segments.size, second.largest_segments.size)
            return end == length or (
                size >= SMALLEST_RESPONSE and end < length and (second if direction else first).last_segment < full
            )
        if len(data) < SIZE_PREFIX + HEADER_BYTES or not SMALLEST_REQUEST <= size < HARDLY_PLAUSIBLE:
            return False
        if not 0 < signed32(data, 2 * SIZE_PREFIX) - self.request_id <= ID_STEP:
            return False
        try:
            header = read_request_header(data, SIZE_PREFIX)
        except ProtocolError:
            return False
        return header.client_id in self.client_ids and tells_client(header.client_id, ())

    def is_inside_message(self, direction: int, data: bytes) -> bool:
        """Tell whether in what was captured of a client's segment no message begins, nor any that leads to the next."""
        if direction != self._client or next_shape(bytearray(data), 0) >= 0:
            return False
        return not may_be_unknown_request(data, self.client_ids)

    def begin_behind(self, cutters: Sequence[FrameCutter], direction: int, behind_gap: bool) -> None:
        """Search a direction from where its cutter lost its frames on; `behind_gap`: a gap came last."""
        from kafkasniff.calls.resync.search import BoundarySearch

        cutter = cutters[direction]
        largest = LargestSegments()
        for each in cutters:
            largest.note(each.largest_segments.size, each.largest_segments.count)
        refused = None if cutter.absurd_size is None else cutter.offset
        search = BoundarySearch(self._limit, self._budget, cutter.offset, refused)
        if behind_gap:
            search.held.follow_gap(cutter.last_segment > 0)
        search.held.ended = self._ended
        rest = cutter.take_rest()
        search.held.writes.go_on(0 if rest else cutter.last_segment, largest)
        for event, start in rest:
            search.held.push(event, start)
        self._search(direction, search)

    def _search(self, direction: int, search: "BoundarySearch | None") -> None:
        self.searches[direction] = search
        self.searching = self.searches != [None, None]

    def end(self) -> None:
        """Note that nothing more comes: what there is of a message is all that can speak for it."""
        self._ended = True
        for search in self.searches:
            if search is not None:
                search.held.ended = True

    def find(self, direction: int, again: bool) -> tuple[int, HeldStream] | None:
        """Give where a frame begins, and the bytes that hold it, as soon as that is proven: the search is over then.

        `again` when something else than this direction may have brought evidence.
        """
        search = self.searches[direction]
        assert search is not None
        held = search.held
        if not held.held:
            return None
        if direction == self._client:
            place = search.find_request(self._score_request, again)
        else:
            place = search.find_response(self._score_response, again, self._wanted_ids)
            if place is None and self.last_request is None and self.last_answer is not None:
                place = search.find_lone_response(self.last_answer)
        if place is None:
            return None
        if held.segment_starts[0] < place:
            place = self._first_before(direction, held, place)
        self._search(direction, None)
        return place, held

    def _wanted_ids(self) -> list[int]:
        """Give the correlation ids that the next response may have."""
        return [*self.lost_ids.near(self.last_answer), *self._pairing.layouts()]

    def _first_before(self, direction: int, held: HeldStream, place: int) -> int:
        """Give the first of the frames that lead up to the proven one at `place`, or that one."""
        from kafkasniff.calls.resync.lone_responses import LoneResponses
        from kafkasniff.calls.resync.lookback import earlier_requests, earlier_responses

        if direction == self._client:
            return earlier_requests(held, place)
        place = earlier_responses(held, place, self.last_answer)
        before = LoneResponses().find_before(held, place, self.last_answer)
        return place if before is None else earlier_responses(held, before, self.last_answer)

    def is_plausible(self, direction: int, size: int, start: bytes) -> bool:
        """Tell whether a size and the bytes behind it may begin a request, or an awaited response."""
        if direction != self._client:
            number = int.from_bytes(start[:4], "big", signed=True)
            return number in self._pairing.layouts() or self.lost_ids.may_have(number) is True
        prefix = size.to_bytes(4, "big") + start[:1100]
        return size <= LARGEST_PLAUSIBLE and (
            request_header(prefix) is not None or may_be_unknown_request(prefix, self.client_ids)
        )

    def _score_request(self, held: HeldStream, place: int) -> Score:
        early = self._pairing.early_ids()
        search = self.searches[1 - self._client]
        if search is not None:
            early |= response_ids(search.held)
        return score_request(held, place, early.__contains__, self.client_ids, self.last_request)

    def _score_response(self, held: HeldStream, place: int) -> Score:
        return score_response(held, place, self._pairing.layouts(), self._may_be_lost, self.last_answer)

    def _may_be_lost(self, correlation_id: int) -> bool | None:
        """Tell whether a request that the capture lacks may have had this id; None when it may still come."""
        if self.last_request is None and self.last_answer is not None:
            # Nothing of the client was captured.
            return True if correlation_id > self.last_answer else None
        return self.lost_ids.may_have(correlation_id)


def response_ids(held: HeldStream) -> set[int]:
    """Give the correlation ids of what may be responses at the segment starts of a direction."""
    found = set()
    for place in held.segment_starts[-SEGMENTS_FOR_ANSWERS:]:
        prefix = held.read(place, 8)
        if (
            prefix is not None
            and SMALLEST_RESPONSE <= int.from_bytes(prefix[:4], "big", signed=True) <= LARGEST_PLAUSIBLE
        ):
            found.add(int.from_bytes(prefix[4:], "big", signed=True))
    return found
