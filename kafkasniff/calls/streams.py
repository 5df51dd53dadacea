# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Both directions of a Kafka connection, cut into frames that make calls."""

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any, also for programs that use the classes
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.calls.correlation.frames import SIZE_PREFIX, FrameCutter
from kafkasniff.calls.correlation.pairing import Pairing
from kafkasniff.calls.correlator import Correlator
from kafkasniff.calls.enrichment.identity import Identity
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.items import Item
from kafkasniff.calls.limits import Budget, CallLimits
from kafkasniff.calls.options import CallOptions
from kafkasniff.calls.resync.boundaries import Boundaries
from kafkasniff.calls.resync.held import HeldPiece
from kafkasniff.calls.resync.response_evidence import SMALLEST_RESPONSE
from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import Connection, StreamData, StreamGap

if not cython.compiled:
    from kafkasniff.tcp.events import new_stream_data

_PREFIX = SIZE_PREFIX
_NO_PACKETS: tuple[Arrival, ...] = ()


class KafkaStreams:
    """Both directions of a connection that is known to be Kafka, with the client known.

    Its bytes are cut into frames, of which `correlator` makes calls; where a frame boundary is lost, the next one is
    searched for.
    """

    __slots__ = ("_boundaries", "_cutters", "_waiting", "client", "connection", "correlator", "starts")

    @cython.locals(connection=Connection, options=CallOptions)
    def __init__(
        self,
        connection: Connection,
        client: int,
        limits: CallLimits,
        options: CallOptions,
        starts: tuple[int | None, int | None],
        budget: Budget,
        raw_sasl: bool,
    ) -> None:
        """Begin each direction at a frame boundary at its stream position in `starts`, or (None) with a search."""
        self.connection = connection
        self.client = client
        self.starts = starts
        first_start, second_start = starts
        complete = first_start is not None and second_start is not None
        from_the_beginning = (second_start if client else first_start) == 0
        pairing = Pairing(budget, complete)
        boundaries = Boundaries(client, limits.search_bytes, budget, pairing, from_the_beginning and complete)
        self._boundaries = boundaries
        kept, largest, keep_packets = limits.kept_message_bytes, limits.largest_message_bytes, options.keep_packets
        self._cutters = (
            FrameCutter(kept, largest, keep_packets, boundaries, 0, budget),
            FrameCutter(kept, largest, keep_packets, boundaries, 1, budget),
        )
        self._begin_at(0, first_start)
        self._begin_at(1, second_start)
        begun = connection.initiator is not None and from_the_beginning
        identity = Identity(options.show_secrets, begun, raw_sasl)
        self.correlator = Correlator(connection, client, limits, options, pairing, boundaries, self._cutters, identity)
        self._waiting: deque[tuple[int, HeldPiece]] | None = None
        """What a search had held; None before any search."""

    def _begin_at(self, direction: int, start: int | None) -> None:
        """Begin a direction at a frame boundary, if one is known."""
        cutter = self._cutters[direction]
        if start is None:
            cutter.aligned = False
            self._boundaries.begin(direction)
        else:
            cutter.restart(start)

    def take_bytes(
        self, direction: int, data: bytes, missing: int, arrival: Arrival, event: StreamData | None, calls: list[Item]
    ) -> None:
        """Take the bytes of a segment, and add the calls that end to `calls`; none wait in the correlator.

        The segment lacks its last `missing` bytes. `event` has the others where they came otherwise than next.
        """
        correlator = self.correlator
        own = correlator.calls
        correlator.calls = calls
        correlator.calls_before = len(calls)
        cutter, boundaries = self._cutters[direction], self._boundaries
        start, length = 0, len(data)
        if not cutter.aligned and boundaries.searches[direction] is None:
            # The boundary was lost in the end of the last segment, which was not captured.
            if boundaries.begins_frame(self._cutters, direction, data, length + missing):
                cutter.restart(cutter.offset)
            elif missing and boundaries.is_inside_message(direction, data):
                cutter.note_segment(length + missing)
                cutter.lose(length + missing, arrival)
                correlator.calls = own
                return
        if not cutter.aligned:
            self.take(direction, (event or self._event(direction, data, arrival), 0))
            if missing:
                self.take(direction, self._rest(direction, missing, arrival))
        else:
            cutter.note_segment(length)
            fragments = _NO_PACKETS if event is None else event.fragments
            if cutter.pass_over(length, arrival, fragments):
                start = length
            while start < length and cutter.idle():
                frame = cutter.whole_frame(data, start, arrival, fragments)
                if frame is None:
                    break
                start += _PREFIX + frame.size
                self._take_frame(direction, frame)
            if start < length and not (missing and cutter.begin_cut(data, start, arrival, fragments)):
                cutter.add(event or self._event(direction, data, arrival), start)
            if cutter.has_more():
                self.drain(direction)
            if boundaries.searching:
                self._search_other(direction)
            if missing:
                self._lose_rest(direction, missing, arrival)
        correlator.calls = own

    def _lose_rest(self, direction: int, missing: int, arrival: Arrival) -> None:
        """Take that the last `missing` bytes of a segment were not captured."""
        boundaries, cutter = self._boundaries, self._cutters[direction]
        if not cutter.aligned:
            self.take(direction, self._rest(direction, missing, arrival))
            return
        cutter.note_segment(cutter.last_segment + missing)
        self.correlator.lose(direction, arrival)
        cutter.lose(missing, arrival)
        frame = cutter.next_frame()
        if frame is not None:
            self._take_frame(direction, frame)
        if not cutter.aligned and direction == self.client:
            boundaries.lost_ids.lose()
        if boundaries.searching:
            self._search_other(direction)

    def _rest(self, direction: int, missing: int, arrival: Arrival) -> StreamGap:
        return StreamGap(self.connection, direction, missing, arrival, cut=True)

    def _search_other(self, direction: int) -> None:
        """Search the other direction again where it is being searched: what came may be evidence for it."""
        if self._boundaries.searches[1 - direction] is not None:
            self._search(1 - direction, again=True)
            self._take_waiting()

    def _event(self, direction: int, data: bytes, arrival: Arrival) -> StreamData:
        return new_stream_data(self.connection, direction, data, arrival, arrival, _NO_PACKETS)

    def drain(self, direction: int) -> None:
        """Take the frames that are whole, and what a search that this begins has held."""
        self._drain(direction)
        if self._waiting:
            self._take_waiting()

    def take(self, direction: int, item: HeldPiece) -> None:
        """Take bytes or a gap of one direction."""
        self.correlator.calls_before = len(self.correlator.calls)
        if self._waiting:
            self._waiting.append((direction, item))
        else:
            self._take(direction, item)
        self._take_waiting()

    def _wait(self) -> deque[tuple[int, HeldPiece]]:
        """Give what waits to be taken, that more may be added."""
        if self._waiting is None:
            self._waiting = deque()
        return self._waiting

    def _take_waiting(self) -> None:
        # What a search had held waits here, not in calls within calls: there may be many searches in it.
        while self._waiting:
            direction, item = self._waiting.popleft()
            self._take(direction, item)

    def _take(self, direction: int, item: HeldPiece) -> None:
        cutter = self._cutters[direction]
        boundaries = self._boundaries
        searches = boundaries.searches
        if searches[direction] is None and not cutter.aligned:
            # As in `take_bytes`, but this segment does not prove itself.
            boundaries.begin_behind(self._cutters, direction, True)
        search = searches[direction]
        if isinstance(item, StreamGap):
            self.correlator.lose(direction, item.arrival)
            if search is not None:
                held = search.held
                held.push_gap(item)
            else:
                cutter.push_gap(item)
                self._drain(direction, item)
            if direction == self.client and searches[direction] is not None:
                self._boundaries.lost_ids.lose()
        else:
            event, start = item
            if search is not None:
                held = search.held
                held.push(event, start)
                self._search(direction, again=False)
            else:
                cutter.push(event, start)
                self._drain(direction)
        other = 1 - direction
        if searches[other] is not None:
            self._search(other, again=True)

    def end_of(self, direction: int) -> int:
        """Give the stream position behind the last byte taken of a direction."""
        search = self._boundaries.searches[direction]
        return search.held.end if search is not None else self._cutters[direction].pushed_to

    def end(self, arrival: Arrival, until: int) -> None:
        """Let every unfinished call end, as nothing more comes, and let go of all bytes.

        Up to `until`, in ns since 1970, answers would have been captured.
        """
        correlator = self.correlator
        correlator.calls_before = len(correlator.calls)
        if self._is_at_rest():
            return
        self._boundaries.end()
        for direction in (self.client, 1 - self.client):
            if self._boundaries.searches[direction] is not None:
                self._search(direction, again=True)
        self._take_waiting()
        for direction, cutter in enumerate(self._cutters):
            if (left := cutter.judge_rest()) and self.connection.ended_by == "fin":
                correlator.notes[direction] = f"{left} bytes, too few for a size prefix"
            if not cutter.aligned and self._boundaries.searches[direction] is None:
                self.drain(direction)
        for direction, search in enumerate(self._boundaries.searches):
            if search is not None:
                correlator.let_go(direction, search.held.discarded)
                search.held.clear()
        request = self._cutters[self.client].end(arrival)
        if correlator.identity.raw_tokens:
            request = None
        if request is not None and self._boundaries.is_plausible(self.client, request.size, request.data):
            correlator.take_request(request)
        rest = self._cutters[1 - self.client].end(arrival)
        if rest is not None and len(rest.data) < SMALLEST_RESPONSE:
            rest = None
        correlator.end(arrival, rest, until)

    def _is_at_rest(self) -> bool:
        """Tell whether nothing is unfinished: no message, no search, and no call."""
        first, second = self._cutters
        pairing = self.correlator.pairing
        if self._waiting or self._boundaries.searching or pairing.has_early or pairing.waiting.count():
            return False
        return first.idle() and second.idle()

    def _drain(self, direction: int, gap: StreamGap | None = None) -> None:
        """Do the same; `gap` came last."""
        cutter = self._cutters[direction]
        frame = cutter.next_frame()
        while frame is not None:
            self._take_frame(direction, frame)
            frame = cutter.next_frame()
        if not cutter.aligned:
            if (size := cutter.absurd_size) is not None:
                is_possible = cutter.smallest <= size <= cutter.size_limit
                found = (
                    f"a message size, {size}, without its message"
                    if is_possible
                    else f"an impossible message size, {size}"
                )
                self.correlator.refuse(direction, cutter.offset, cutter.next_arrival(), found)
            self._boundaries.begin_behind(self._cutters, direction, gap is not None)
            self._search(direction, again=True)

    def _take_frame(self, direction: int, frame: Frame) -> None:
        """Take a frame, or where it is none leave the boundary that it was cut at."""
        correlator = self.correlator
        if not (correlator.take_request(frame) if direction == self.client else correlator.take_response(frame)):
            self._cutters[direction].aligned = False

    def _search(self, direction: int, again: bool) -> None:
        found = self._boundaries.find(direction, again)
        if found is None:
            return
        place, held = found
        self.correlator.let_go(direction, held.discarded)
        self._cutters[direction].restart(place)
        self._wait().extendleft([(direction, item) for item in reversed(held.items_from(place))])
        held.clear()
