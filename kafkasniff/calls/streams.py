# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Both directions of a Kafka connection, cut into frames that make calls."""

from collections import deque

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call, Outcome, Side
from kafkasniff.calls.context import Context
from kafkasniff.calls.correlation.frames import SIZE_PREFIX, FrameCutter
from kafkasniff.calls.correlation.pairing import Pair, Pairing, correlation_id
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.enrichment.identity import LOGIN_APIS, Identity
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.items import Item
from kafkasniff.calls.limits import Budget, CallLimits
from kafkasniff.calls.resync.boundaries import Boundaries
from kafkasniff.calls.resync.contradictions import Contradictions
from kafkasniff.calls.resync.evidence import ID_STEP, SMALLEST_REQUEST, tells_client
from kafkasniff.calls.resync.held import HELD_AT_LEAST, HeldPiece
from kafkasniff.calls.resync.response_evidence import SMALLEST_RESPONSE
from kafkasniff.capture.packets import Arrival
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.errors import Problem, ProtocolError
from kafkasniff.protocol.headers import RequestHeader, read_cut_request_header, read_unknown_request_header
from kafkasniff.tcp.events import Connection, Endpoint, StreamData, StreamGap

if not cython.compiled:
    from kafkasniff.calls.call import new_call
    from kafkasniff.calls.correlation.pairing import expects_response
    from kafkasniff.protocol.headers import is_known, read_request_header
    from kafkasniff.tcp.events import endpoint_text, new_stream_data

_FIRST_LOGIN_API, _LAST_LOGIN_API = min(LOGIN_APIS), max(LOGIN_APIS)
_PREFIX = SIZE_PREFIX
_NO_PACKETS: tuple[Arrival, ...] = ()
_SMALLEST_REQUEST, _SMALLEST_RESPONSE = SMALLEST_REQUEST, SMALLEST_RESPONSE

VERSIONS_AHEAD = 32
"""How far a version may be beyond the newest known and still be taken for a version."""


class CallOptions:
    """What a caller wants of calls beside their bytes; not to be changed."""

    __slots__ = ("context", "fetch_sessions", "kafka_servers", "keep_packets", "show_secrets")

    def __init__(
        self,
        show_secrets: bool = False,
        keep_packets: bool = False,
        context: Context | None = None,
        fetch_sessions: bool = True,
        kafka_servers: dict[Endpoint, int] | None = None,
    ) -> None:
        """Take what is wanted."""
        self.show_secrets = show_secrets
        self.keep_packets = keep_packets
        """Note every packet that carried bytes of a call (`Frame.packets`)."""
        self.context = Context() if context is None else context
        """What every call is given: whether to read records, and the names of topics that are known."""
        self.fetch_sessions = fetch_sessions
        """Note on incremental Fetch calls what their session covers (KIP-227)."""
        self.kafka_servers = {} if kafka_servers is None else kafka_servers
        """Endpoints that were proven to speak Kafka on some connection, and since when, in ns since 1970."""


class KafkaStreams:
    """Both directions of a connection that is known to be Kafka, with the client known."""

    __slots__ = (
        "_boundaries",
        "_budget",
        "_calls",
        "_client_text",
        "_context",
        "_contradictions",
        "_cutters",
        "_held_calls",
        "_identity",
        "_limits",
        "_may_be_contradicted",
        "_most_pending",
        "_notes",
        "_options",
        "_pairing",
        "_pending_bytes",
        "_server_text",
        "_show_secrets",
        "_waiting",
        "call_count",
        "client",
        "connection",
        "starts",
    )

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
        self._limits = limits
        self._budget = budget
        self._options = options
        first_end, second_end = connection.endpoints
        client_end, server_end = (second_end, first_end) if client else (first_end, second_end)
        self._client_text = endpoint_text(client_end)
        self._server_text = endpoint_text(server_end)
        first_start, second_start = starts
        complete = first_start is not None and second_start is not None
        self._pairing = Pairing(budget, complete)
        from_the_beginning = (second_start if client else first_start) == 0
        self._boundaries = Boundaries(
            client, limits.search_bytes, budget, self._pairing, from_the_beginning and complete
        )
        kept, largest, keep_packets = (
            limits.kept_message_bytes,
            limits.largest_message_bytes,
            self._options.keep_packets,
        )
        self._cutters = (
            FrameCutter(kept, largest, keep_packets, self._boundaries, 0, budget),
            FrameCutter(kept, largest, keep_packets, self._boundaries, 1, budget),
        )
        self.starts = starts
        self._begin_at(0, first_start)
        self._begin_at(1, second_start)
        self._waiting: deque[tuple[int, HeldPiece]] | None = None
        """What a search had held; None before any search."""
        self._notes: dict[int, str] = {}
        self._contradictions: Contradictions | None = None
        self._may_be_contradicted = False
        begun = connection.initiator is not None and from_the_beginning
        self._show_secrets = self._options.show_secrets
        self._context = self._options.context
        self._identity = Identity(self._show_secrets, begun, raw_sasl)
        self._expect_tokens()
        self._most_pending = limits.pending_calls
        self._pending_bytes = min(limits.pending_bytes, HELD_AT_LEAST)
        self._calls: list[Item] = []
        self._held_calls = 0
        """How many of these were there before what is being taken."""
        self.call_count = 0

    def _begin_at(self, direction: int, start: int | None) -> None:
        """Begin a direction at a frame boundary, if one is known."""
        cutter = self._cutters[direction]
        if start is None:
            cutter.misalign()
            self._boundaries.begin(direction)
        else:
            cutter.restart(start)

    def take_bytes(
        self, direction: int, data: bytes, missing: int, arrival: Arrival, event: StreamData | None, calls: list[Item]
    ) -> None:
        """Take the bytes of a segment, and add the calls that end to `calls`; none wait in `take_calls`.

        The segment lacks its last `missing` bytes. `event` has the others where they came otherwise than next.
        """
        own = self._calls
        self._calls = calls
        self._held_calls = len(calls)
        cutter, boundaries = self._cutters[direction], self._boundaries
        start, length = 0, len(data)
        if not cutter.aligned and boundaries.searches[direction] is None:
            # The boundary was lost in the end of the last segment, which was not captured.
            if boundaries.begins_frame(self._cutters, direction, data, length + missing):
                cutter.restart(cutter.offset)
            elif missing and boundaries.is_inside_message(direction, data):
                cutter.note_segment(length + missing)
                cutter.lose(length + missing, arrival)
                self._calls = own
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
        self._calls = own

    def _lose_rest(self, direction: int, missing: int, arrival: Arrival) -> None:
        """Take that the last `missing` bytes of a segment were not captured."""
        boundaries, cutter = self._boundaries, self._cutters[direction]
        if not cutter.aligned:
            self.take(direction, self._rest(direction, missing, arrival))
            return
        cutter.note_segment(cutter.last_segment + missing)
        self._lose(direction, arrival)
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
        self._held_calls = len(self._calls)
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
            self._lose(direction, item.arrival)
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

    def contradict(self, direction: int, ranges: list[tuple[int, int]]) -> None:
        """Note stream positions, from and up to, whose bytes a segment repeated with other contents."""
        side: Side = "request" if direction == self.client else "response"
        self._may_be_contradicted = True
        if self._contradictions is None:
            self._contradictions = Contradictions()
        self._contradictions.add(direction, ranges, side, self._pairing.frames(side))

    def take_calls(self) -> list[Item]:
        """Give the calls that ended, and the raw tokens that came, since the last time."""
        calls, self._calls = self._calls, []
        return calls

    def end(self, arrival: Arrival, until: int) -> None:
        """Let every unfinished call end, as nothing more comes, and let go of all bytes.

        Up to `until`, in ns since 1970, answers would have been captured.
        """
        self._held_calls = len(self._calls)
        if self._is_at_rest():
            return
        self._boundaries.end()
        for direction in (self.client, 1 - self.client):
            if self._boundaries.searches[direction] is not None:
                self._search(direction, again=True)
        self._take_waiting()
        for direction, cutter in enumerate(self._cutters):
            if (left := cutter.judge_rest()) and self.connection.ended_by == "fin":
                self._notes[direction] = f"{left} bytes, too few for a size prefix"
            if not cutter.aligned and self._boundaries.searches[direction] is None:
                self.drain(direction)
        for direction, search in enumerate(self._boundaries.searches):
            if search is not None:
                self.let_go(direction, search.held.discarded)
                search.held.clear()
        request = self._cutters[self.client].end(arrival)
        if self._identity.raw_tokens:
            request = None
        if request is not None and self._boundaries.is_plausible(self.client, request.size, request.data):
            self._take_request(request)
        rest = self._cutters[1 - self.client].end(arrival)
        if rest is not None and len(rest.data) < SMALLEST_RESPONSE:
            rest = None
        # Of a connection that another one took over, the end is not in the capture.
        responses_ended = self.connection.ended_by in ("fin", "rst") and self._server_seen()
        if rest is not None and correlation_id(rest) not in self._pairing.layouts():
            self._take_response(rest)
            rest = None
        self._emit(self._pairing.end(arrival, responses_ended, rest, until))

    def _is_at_rest(self) -> bool:
        """Tell whether nothing is unfinished: no message, no search, and no call."""
        first, second = self._cutters
        pairing = self._pairing
        if self._waiting or self._boundaries.searching or pairing.has_early or pairing.waiting.count():
            return False
        return first.idle() and second.idle()

    @property
    def in_flight(self) -> int:
        """Give how many requests wait for their answers."""
        return self._pairing.waiting.count()

    @property
    def unread(self) -> list[str]:
        """Give what was found in place of messages and was followed by none that could say so."""
        return list(self._notes.values()) if self._notes else []

    def let_go(self, direction: int, count: int) -> None:
        """Note that `count` bytes of a direction were let go unread, as they were too many to search."""
        if count:
            before = f"{self._notes[direction]}, and " if direction in self._notes else ""
            self._notes[direction] = f"{before}{count} bytes that were let go, as no message was found in them"

    def give_up_waiting(self, now: int) -> None:
        """End the calls that waited for too long at `now`, in ns since 1970."""
        waiting = self._pairing.waiting
        while waiting.count() and now - waiting.first().last.time >= self._limits.pending_ns:
            # Should the answer still come, then as one whose request is not known any more.
            self._pairing.lose_requests()
            self._emit([self._pairing.give_up_oldest(waiting.first().last.at(now))])

    def _server_seen(self) -> bool:
        return self.connection.counters[1 - self.client].packets > 0

    def _lose(self, direction: int, arrival: Arrival) -> None:
        if direction == self.client:
            self._pairing.lose_requests()
        else:
            self._pairing.lose_responses(arrival)

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
                self._refuse(direction, cutter.offset, cutter.next_arrival(), found)
            self._boundaries.begin_behind(self._cutters, direction, gap is not None)
            self._search(direction, again=True)

    def _take_frame(self, direction: int, frame: Frame) -> None:
        """Take a frame, or where it is none leave the boundary that it was cut at."""
        if not (self._take_request(frame) if direction == self.client else self._take_response(frame)):
            cutter = self._cutters[direction]
            cutter.misalign()

    def _search(self, direction: int, again: bool) -> None:
        found = self._boundaries.find(direction, again)
        if found is None:
            return
        place, held = found
        self.let_go(direction, held.discarded)
        self._cutters[direction].restart(place)
        self._wait().extendleft([(direction, item) for item in reversed(held.items_from(place))])
        held.clear()

    def _take_request(self, frame: Frame) -> bool:
        """Take a frame of the client; False when it is none, so that the boundary it was cut at must be wrong."""
        if self._identity.is_logging_in():
            if self._identity.sends_token(frame):
                return self._take_token(frame, "request")
            self._expect_tokens()
        try:
            header = read_request_header(frame.data)
        except ProtocolError as error:
            other = (read_unknown_request_header if frame.whole else read_cut_request_header)(frame.data)
            if other is None and frame.whole:
                found = f"{frame.size} bytes that are no request ({error})"
                self._refuse(self.client, frame.stream_offset, frame.first, found)
                return False
            if other is None:
                self._pairing.lose_requests()
                self._boundaries.lost_ids.lose()
                return True
            header = other
            if not frame.whole:
                frame.problems.append(Problem("request", None, "clientId", "the capture cuts the header off here"))
        frame.header = header
        if not self._is_request(header):
            found = f"{frame.size} bytes that are no request (API key {header.api_key})"
            self._refuse(self.client, frame.stream_offset, frame.first, found)
            return False
        if self._may_be_contradicted or self._notes or frame.limited:
            self._describe(frame, self.client, "request")
        boundaries = self._boundaries
        if header.client_id is not boundaries.last_client_id and (header.end < len(frame.data) or frame.whole):
            boundaries.know_client(header.client_id)
        boundaries.request_id = header.correlation_id
        boundaries.lost_ids.add(header.correlation_id)
        if _is_login_api(header.api_key):
            self._identity.take_request(header, frame)
            self._expect_tokens()
        pairing = self._pairing
        if expects_response(frame):
            if pairing.has_early:
                self._emit(pairing.pair_early(frame))
            else:
                pairing.add_request(frame)
                if pairing.waiting.count() > self._most_pending or pairing.waiting_bytes > self._pending_bytes:
                    self._keep_within_limits(frame.last)
        else:
            self._emit([Pair(frame, None, "no-response-expected", frame.last)])
        return True

    def _expect_tokens(self) -> None:
        """Let frames be as small as SASL tokens are, as long as the client may send these."""
        tokens = self._identity.is_logging_in()
        cutter = self._cutters[self.client]
        cutter.smallest = 0 if tokens else _SMALLEST_REQUEST
        cutter = self._cutters[1 - self.client]
        cutter.smallest = 0 if tokens else _SMALLEST_RESPONSE

    def _refuse(self, direction: int, place: int, arrival: Arrival, found: str) -> None:
        """Note what was found in place of a message, at a stream position and in a packet.

        The next message of the direction says so. What follows a message in its segment, as where a buffer was sent
        beyond its size, is a problem of that one too, as there may be no next.
        """
        self._notes[direction] = found
        if direction == self.client:
            # A response may answer a request in these bytes.
            self._lose(direction, arrival)
            self._boundaries.lost_ids.lose()
        # One that was there before may have been handed on.
        call = self._calls[-1] if len(self._calls) > self._held_calls else None
        ended = call if type(call) is Call and call.connection is self.connection else None
        if direction == self.client:
            waiting = self._pairing.waiting
            before = waiting.last() if waiting.count() else ended.request if ended is not None else None
            side: Side = "request"
        else:
            before, side = ended.response if ended is not None else None, "response"
        if before is None or before.last.packet != arrival.packet or _end_of(before) != place:
            return
        problem = Problem(side, None, "", f"behind this message, in its segment, stood {found}")
        if ended is not None and before in (ended.request, ended.response):
            ended.pairing_problems = (*ended.pairing_problems, problem)
        else:
            before.problems.append(problem)

    def _is_request(self, header: RequestHeader) -> bool:
        if is_known(header.api_key, header.api_version):
            return True
        api = APIS.get(header.api_key)
        if api is not None and api.first_version <= header.api_version <= api.last_version + VERSIONS_AHEAD:
            return True
        # A vendor's API, or one newer than all known: the client id or the correlation id must speak for it.
        last = self._boundaries.last_request
        counts_up = last is not None and 0 < header.correlation_id - last <= ID_STEP
        return counts_up or tells_client(header.client_id, self._boundaries.client_ids)

    def _take_response(self, frame: Frame) -> bool:
        if self._identity.raw_tokens and not self._pairing.waiting.count():
            return self._take_token(frame, "response")
        if frame.size < _SMALLEST_RESPONSE:
            self._notes[1 - self.client] = f"a message of {frame.size} bytes, too small for a response"
            return True
        if len(frame.data) < _SMALLEST_RESPONSE:
            return True
        if self._may_be_contradicted or self._notes or frame.limited:
            self._describe(frame, 1 - self.client, "response")
        request = self._pairing.answered_by(frame)
        if request is None:
            self._boundaries.answer_id = correlation_id(frame)
            self._emit(self._pairing.add_response(frame))
            return True
        header = request.header
        self._boundaries.answer_id = header.correlation_id
        if not self._identity.settled:
            self._identity.settle(header.api_key, self._pairing.requests_complete)
        self._end_call(request, frame, header, "answered", frame.last, None, ())
        return True

    def _describe(self, frame: Frame, direction: int, side: Side) -> None:
        """Note on a frame what is wrong with it or with what stood before it."""
        if self._contradictions is not None:
            self._contradictions.describe(direction, frame, side)
            self._may_be_contradicted = bool(self._contradictions)
        note = self._notes.pop(direction, None) if self._notes else None
        if note is not None:
            frame.problems.append(Problem(side, None, "", f"before this message stood {note}"))
        if frame.limited:
            text = f"message of {frame.size} bytes: the first {len(frame.data)} were kept"
            frame.problems.append(Problem(side, None, "", text))

    def _keep_within_limits(self, arrival: Arrival) -> None:
        pairing, limits = self._pairing, self._limits
        while pairing.waiting.count() and (
            pairing.waiting.count() > limits.pending_calls
            or pairing.waiting_bytes > (limits.pending_bytes if self._budget.left else HELD_AT_LEAST)
        ):
            problem = Problem("request", None, "", "too many requests wait for answers: given up by a limit")
            self._emit([pairing.give_up_oldest(arrival)._replace(problems=(problem,))])

    def _take_token(self, frame: Frame, side: Side) -> bool:
        token = self._identity.take_token(frame, side)
        if token is None:
            return False
        self._calls.append(
            RawToken(self.connection, self._client_text, self._server_text, side, frame.size, frame.last, token)
        )
        return True

    def _emit(self, pairs: list[Pair]) -> None:
        for request, response, outcome, ended, pending_ns, problems in pairs:
            header = request.header if request is not None else None
            if header is not None and outcome == "answered" and not self._identity.settled:
                self._identity.settle(header.api_key, self._pairing.requests_complete)
            self._end_call(request, response, header, outcome, ended, pending_ns, problems)

    def _end_call(
        self,
        request: Frame | None,
        response: Frame | None,
        header: RequestHeader | None,
        outcome: Outcome,
        ended: Arrival,
        pending_ns: int | None,
        problems: tuple[Problem, ...],
    ) -> None:
        """Make a call of what it consists of."""
        identity = self._identity
        if response is not None and response._problems is not None:
            problems = (*response._problems, *problems)
        if request is not None and request._problems is not None:
            problems = (*request._problems, *problems)
        call = new_call()
        call.connection = self.connection
        call.client = self._client_text
        call.server = self._server_text
        call.request = request
        call.response = response
        call.header = header
        call.outcome = outcome
        call.ended = ended
        call.pending_ns = pending_ns
        call.security_protocol = identity.security
        call.principal = identity.who()
        call.software_name, call.software_version = identity.software
        call.show_secrets = self._show_secrets
        call.pairing_problems = problems
        call.context = self._context
        self._calls.append(call)
        self.call_count += 1
        if header is not None and _is_login_api(header.api_key):
            identity.take_call(call)
            self._expect_tokens()


def _end_of(frame: Frame) -> int:
    return frame.stream_offset + SIZE_PREFIX + frame.size


def _is_login_api(api_key: int) -> bool:
    return _FIRST_LOGIN_API <= api_key <= _LAST_LOGIN_API and api_key in LOGIN_APIS
