"""Both directions of a Kafka connection: where do frames begin, and which calls do they make."""

from collections import deque
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from kafkasniff.calls.authentication import SASL_AUTHENTICATE, Authentication, RawToken
from kafkasniff.calls.call import Call, Frame, Side
from kafkasniff.calls.context import Context
from kafkasniff.calls.contradictions import Contradictions
from kafkasniff.calls.evidence import (
    API_VERSIONS,
    LARGEST_PLAUSIBLE,
    SASL_HANDSHAKE,
    SMALLEST_RESPONSE,
    Score,
    request_header,
    score_request,
    score_response,
)
from kafkasniff.calls.facts import CallFacts
from kafkasniff.calls.frames import FrameCutter
from kafkasniff.calls.held import HELD_AT_LEAST, HeldStream, Item
from kafkasniff.calls.learning import take_login
from kafkasniff.calls.limits import Budget, CallLimits
from kafkasniff.calls.lookback import earlier_responses
from kafkasniff.calls.lost_ids import LostIds
from kafkasniff.calls.pairing import Pair, Pairing, WaitingRequest, correlation_id
from kafkasniff.calls.search import BoundarySearch
from kafkasniff.capture.packets import Arrival
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies import decode_body
from kafkasniff.protocol.errors import Problem, ProtocolError
from kafkasniff.protocol.headers import RequestHeader, read_cut_request_header, read_request_header
from kafkasniff.tcp.events import Connection, Endpoint, StreamGap

if TYPE_CHECKING:  # it brings NumPy, which reading a small capture should not wait for
    from kafkasniff.calls.columns.calls import Numbers

PRODUCE = 0
RAW_TOKEN_LIMIT = 64 << 10
SEGMENTS_FOR_ANSWERS = 64
VERSIONS_AHEAD = 32
"""How far a version may be beyond the newest known and still be taken for a version."""


@dataclass(frozen=True, slots=True)
class CallOptions:
    """What a caller wants of calls beside their bytes."""

    show_secrets: bool = False
    keep_packets: bool = False
    """Note every packet that carried bytes of a call (`Frame.packets`)."""
    context: Context = field(default_factory=Context)
    """What every call is given: whether to read records, and the names of topics that are known."""
    fetch_sessions: bool = True
    """Note on incremental Fetch calls what their session covers (KIP-227)."""
    kafka_servers: dict[Endpoint, int] = field(default_factory=dict)
    """Endpoints that were proven to speak Kafka on some connection, and since when, in ns since 1970."""


class KafkaStreams:
    """Both directions of a connection that is known to be Kafka, with the client known."""

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
        self._client_text = str(connection.endpoints[client])
        self._server_text = str(connection.endpoints[1 - client])
        self._pairing = Pairing(budget, requests_complete=None not in starts)
        self._lost_ids = LostIds(from_the_beginning=starts[client] == 0 and starts[1 - client] is not None)
        # No methods of this object: the cycle of references would outlive the connection.
        checks = (_plausible_request, partial(_plausible_response, self._pairing, self._lost_ids))
        first, second = (
            FrameCutter(limits.kept_message_bytes, limits.largest_message_bytes, options.keep_packets, check, budget)
            for check in (checks if client == 0 else reversed(checks))
        )
        self._cutters = (first, second)
        self.starts = starts
        self._searches: list[BoundarySearch | None] = [None, None]
        for direction, start in enumerate(starts):
            if start is None:
                self._cutters[direction].misalign()
                self._searches[direction] = BoundarySearch(limits.search_bytes, budget)
            else:
                self._cutters[direction].restart(start)
        self._waiting: deque[tuple[int, Item]] = deque()
        self._notes: dict[int, str] = {}
        self._contradictions = Contradictions()
        self._client_ids: set[str | None] = set()
        self._last_id: int | None = None
        self._last_answer: int | None = None
        self._software: tuple[str | None, str | None] = (None, None)
        self._security = "SASL_PLAINTEXT" if raw_sasl else "PLAINTEXT"
        self._raw_sasl = raw_sasl
        self._handshake_v0 = False
        self._authentication = Authentication(options.show_secrets)
        self._begun = connection.initiator is not None and starts[client] == 0
        self._settled = False
        """Whether answers have nothing more to tell of who the client is."""
        self._calls: list[Call | RawToken] = []
        self.call_count = 0

    def take(self, direction: int, item: Item) -> None:
        """Take bytes or a gap of one direction."""
        self._waiting.append((direction, item))
        self._take_waiting()

    def _take_waiting(self) -> None:
        # What a search had held waits here, not in calls within calls: there may be many searches in it.
        while self._waiting:
            self._take(*self._waiting.popleft())

    def _take(self, direction: int, item: Item) -> None:
        cutter = self._cutters[direction]
        search = self._searches[direction]
        if isinstance(item, StreamGap):
            self._lose(direction, item.arrival)
            if search is not None:
                search.held.push_gap(item)
            else:
                cutter.push_gap(item)
                self._drain(direction, item)
            if direction == self.client and self._searches[direction] is not None:
                self._lost_ids.lose()
        elif search is not None:
            search.held.push(*item)
            self._search(direction, again=False)
        else:
            cutter.push(*item)
            self._drain(direction)
        other = 1 - direction
        if self._searches[other] is not None:
            self._search(other, again=True)

    @property
    def orderly_cutters(self) -> tuple[FrameCutter, FrameCutter] | None:
        """Give the cutters of both directions while each knows where frames begin; None when segments must be taken."""
        if self._options.keep_packets or self._searches != [None, None]:
            return None
        return self._cutters

    @property
    def is_plain(self) -> bool:
        """Tell whether all that frames bring is calls: nothing is left to be learnt of the client, or to be found."""
        unsettled = self._raw_sasl or self._handshake_v0 or self._notes or self._waiting or self._contradictions
        return self._settled and not unsettled and self._pairing.is_plain

    @property
    def waiting(self) -> list[WaitingRequest]:
        """Give the requests that wait for answers."""
        return list(self._pairing.waiting)

    def cutter(self, direction: int) -> FrameCutter:
        """Give the cutter of a direction."""
        return self._cutters[direction]

    def has_room(self, count: int, size: int) -> bool:
        """Tell whether `count` requests may wait for answers, the new ones among them having `size` bytes."""
        limits = self._limits
        return count <= limits.pending_calls and self._pairing.waiting_bytes + size <= limits.pending_bytes

    def facts(self) -> CallFacts:
        """Give what the next calls say beside their messages."""
        return CallFacts(
            self.connection,
            self._client_text,
            self._server_text,
            self._security,
            self._authentication.principal,
            *self._software,
            self._options.show_secrets,
            self._options.context,
        )

    def take_pairs(
        self, client_ids: set[str | None], request_ids: "Numbers", response_ids: "Numbers", waiting: list[Frame]
    ) -> None:
        """Take calls that were paired outside: requests, of which the last ones wait for answers, and responses.

        Each response answered the request that had waited longest; `client_ids` and correlation ids are of the
        requests and responses that came.
        """
        pairing = self._pairing
        answered = min(len(response_ids), len(pairing.waiting))
        pairing.take_answered(answered, len(request_ids) - len(waiting) + len(response_ids))
        self.call_count += len(response_ids)
        self._client_ids |= client_ids
        if len(request_ids):
            self._last_id = request_ids.item(-1)
            self._lost_ids.add(request_ids.item(0))
            self._lost_ids.add(self._last_id)
        if len(response_ids):
            self._last_answer = response_ids.item(-1)
        for frame in waiting:
            pairing.add_request(frame, read_request_header(frame.data))

    def take_frame(self, direction: int, frame: Frame) -> bool:
        """Take a frame that was cut outside; False when it is none, and the boundary that it was cut at is wrong."""
        taken = self._take_request(frame) if direction == self.client else self._take_response(frame)
        if not taken:
            self._cutters[direction].misalign()
        return taken

    def end_of(self, direction: int) -> int:
        """Give the stream position behind the last byte taken of a direction."""
        search = self._searches[direction]
        return search.held.end if search is not None else self._cutters[direction].pushed_to

    def contradict(self, direction: int, ranges: list[tuple[int, int]]) -> None:
        """Note stream positions, from and up to, whose bytes a segment repeated with other contents."""
        side: Side = "request" if direction == self.client else "response"
        self._contradictions.add(direction, ranges, side, self._pairing.frames(side))

    def take_calls(self) -> list[Call | RawToken]:
        """Give the calls that ended, and the raw tokens that came, since the last time."""
        calls, self._calls = self._calls, []
        return calls

    def end(self, arrival: Arrival) -> None:
        """Let every unfinished call end, as nothing more comes, and let go of all bytes."""
        for direction, search in enumerate(self._searches):
            if search is not None:
                self.let_go(direction, search.held.discarded)
                search.held.clear()
        request = self._cutters[self.client].end(arrival)
        if request is not None and not self._raw_sasl and _plausible_request(request.size, request.data):
            self._take_request(request)
        rest = self._cutters[1 - self.client].end(arrival)
        if rest is not None and len(rest.data) < SMALLEST_RESPONSE:
            rest = None
        responses_ended = self.connection.ended_by in ("fin", "rst", "reuse") and self._server_seen()
        self._emit(self._pairing.end(arrival, responses_ended, rest))

    @property
    def unread(self) -> list[str]:
        """Give what was found in place of messages and was followed by none that could say so."""
        return list(self._notes.values())

    def let_go(self, direction: int, count: int) -> None:
        """Note that `count` bytes of a direction were let go unread, as they were too many to search."""
        if count:
            before = f"{self._notes[direction]}, and " if direction in self._notes else ""
            self._notes[direction] = f"{before}{count} bytes that were let go, as no message was found in them"

    def give_up_waiting(self, now: int) -> None:
        """End the calls that waited for too long at `now`, in ns since 1970."""
        waiting = self._pairing.waiting
        while waiting and now - waiting[0].frame.last.time >= self._limits.pending_ns:
            # Should the answer still come, then as one whose request is not known any more.
            self._pairing.lose_requests()
            self._emit([self._pairing.give_up_oldest(waiting[0].frame.last._replace(time=now))])

    def _server_seen(self) -> bool:
        return self.connection.counters[1 - self.client].packets > 0

    def _lose(self, direction: int, arrival: Arrival) -> None:
        if direction == self.client:
            self._pairing.lose_requests()
        else:
            self._pairing.lose_responses(arrival)

    def drain(self, direction: int) -> None:
        """Take the frames that are whole; where the next one begins nowhere, begin to search."""
        self._drain(direction)
        self._take_waiting()

    def _drain(self, direction: int, gap: StreamGap | None = None) -> None:
        """Do the same; `gap` came last."""
        cutter = self._cutters[direction]
        handle = self._take_request if direction == self.client else self._take_response
        while (frame := cutter.next_frame()) is not None:
            if not handle(frame):
                cutter.misalign()
        if not cutter.aligned:
            if cutter.absurd_size is not None:
                self._notes[direction] = f"an impossible message size, {cutter.absurd_size}"
            refused = None if cutter.absurd_size is None else cutter.offset
            search = BoundarySearch(self._limits.search_bytes, self._budget, cutter.offset, refused)
            if gap is not None:
                search.held.push_gap(gap)
            search.held.last_segment = cutter.last_segment
            search.held.largest_segment = max(each.largest_segment for each in self._cutters)
            for event, start in cutter.take_rest():
                search.held.push(event, start)
            self._searches[direction] = search
            self._search(direction, again=True)

    def _search(self, direction: int, again: bool) -> None:
        search = self._searches[direction]
        assert search is not None
        if direction == self.client:
            place = search.find_request(self._score_request, again)
        else:
            ids = [*self._lost_ids.near(self._last_answer), *self._pairing.layouts()]
            place = search.find_response(self._score_response, again, ids)
            if place is None and self._last_id is None and self._last_answer is not None:
                place = search.find_lone_response(self._last_answer)
        if place is None:
            return
        if direction != self.client:
            place = earlier_responses(search.held, place)
        self._searches[direction] = None
        self.let_go(direction, search.held.discarded)
        self._cutters[direction].restart(place)
        self._waiting.extendleft((direction, item) for item in reversed(search.held.items_from(place)))
        search.held.clear()

    def _score_request(self, held: HeldStream, place: int) -> Score:
        early = self._pairing.early_ids()
        search = self._searches[1 - self.client]
        if search is not None:
            early |= response_ids(search.held)
        return score_request(held, place, early.__contains__, self._client_ids, self._last_id)

    def _score_response(self, held: HeldStream, place: int) -> Score:
        return score_response(held, place, self._pairing.layouts(), self._lost_ids.may_have, self._last_answer)

    def _take_request(self, frame: Frame) -> bool:
        """Take a frame of the client; False when it is none, so that the boundary it was cut at must be wrong."""
        if self._raw_sasl or self._handshake_v0:
            if request_header(frame.size.to_bytes(4, "big", signed=True) + frame.data[:1100]) is None:
                if frame.size > RAW_TOKEN_LIMIT:
                    return False
                self._raw_sasl = True
                self._security = "SASL_PLAINTEXT"
                self._take_token(frame, "request")
                return True
            self._raw_sasl = self._handshake_v0 = False
        try:
            header = read_request_header(frame.data)
        except ProtocolError as error:
            if frame.whole:
                self._notes[self.client] = f"{frame.size} bytes that are no request ({error})"
                return False
            cut = read_cut_request_header(frame.data)
            if cut is None:
                self._lost_ids.lose()
                return True
            header = cut
            frame.problems.append(Problem("request", None, "clientId", "the capture cuts the header off here"))
        if not self._is_request(header):
            self._notes[self.client] = f"{frame.size} bytes that are no request (API key {header.api_key})"
            return False
        self._describe(frame, self.client, "request")
        if header.end < len(frame.data) or frame.whole:
            self._client_ids.add(header.client_id)
        self._last_id = header.correlation_id
        self._lost_ids.add(header.correlation_id)
        self._learn(header, frame)
        if _expects_response(header, frame):
            self._emit(self._pairing.add_request(frame, header))
            self._keep_within_limits(frame.last)
        else:
            request = WaitingRequest(frame, header, 0)
            self._emit([Pair(request, None, "no-response-expected", frame.last)])
        return True

    def _is_request(self, header: RequestHeader) -> bool:
        api = APIS.get(header.api_key)
        if api is not None:
            return api.first_version <= header.api_version <= api.last_version + VERSIONS_AHEAD
        # A proprietary API, or one newer than all known: only from a client that spoke Kafka before.
        return header.api_version <= VERSIONS_AHEAD and bool(header.client_id) and header.client_id in self._client_ids

    def _take_response(self, frame: Frame) -> bool:
        if self._raw_sasl and not self._pairing.waiting:
            if frame.size > RAW_TOKEN_LIMIT:
                return False
            self._take_token(frame, "response")
            return True
        if frame.size < SMALLEST_RESPONSE:
            self._notes[1 - self.client] = f"a message of {frame.size} bytes, too small for a response"
            return True
        if len(frame.data) < SMALLEST_RESPONSE:
            return True
        self._describe(frame, 1 - self.client, "response")
        self._last_answer = correlation_id(frame)
        self._emit(self._pairing.add_response(frame))
        return True

    def _describe(self, frame: Frame, direction: int, side: Side) -> None:
        """Note on a frame what is wrong with it or with what stood before it."""
        if self._contradictions:
            self._contradictions.describe(direction, frame, side)
        note = self._notes.pop(direction, None) if self._notes else None
        if note is not None:
            frame.problems.append(Problem(side, None, "", f"before this message stood {note}"))
        if frame.limited:
            text = f"message of {frame.size} bytes: the first {len(frame.data)} were kept"
            frame.problems.append(Problem(side, None, "", text))

    def _learn(self, header: RequestHeader, frame: Frame) -> None:
        if header.api_key == API_VERSIONS and header.api_version >= 3 and frame.whole:
            value = decode_body(header.api_key, header.api_version, "request", frame.data, header.end).value
            if value is not None:
                self._software = (value["clientSoftwareName"], value["clientSoftwareVersion"])
        elif header.api_key == SASL_HANDSHAKE:
            self._security = "SASL_PLAINTEXT"
            self._authentication.begin(header, frame.data)
            # Without seeing the answer: raw tokens follow unless the broker refused (KIP-43).
            self._handshake_v0 = header.api_version == 0
        elif header.api_key == SASL_AUTHENTICATE:
            self._security = "SASL_PLAINTEXT"

    def _keep_within_limits(self, arrival: Arrival) -> None:
        pairing, limits = self._pairing, self._limits
        while pairing.waiting and (
            len(pairing.waiting) > limits.pending_calls
            or pairing.waiting_bytes > (limits.pending_bytes if self._budget.left else HELD_AT_LEAST)
        ):
            problem = Problem("request", None, "", "too many requests wait for answers: given up by a limit")
            self._emit([pairing.give_up_oldest(arrival)._replace(problems=(problem,))])

    def _take_token(self, frame: Frame, side: Side) -> None:
        token = self._authentication.read_raw(side == "request", frame.data)
        self._settled = False
        self._calls.append(
            RawToken(self.connection, self._client_text, self._server_text, side, frame.size, frame.last, token)
        )

    def _settle(self, api_key: int) -> None:
        """Take an answered call, which tells whether the client is logged in."""
        in_clear = self._begun and self._security == "PLAINTEXT" and self._pairing.requests_complete
        self._settled = self._authentication.settle(api_key, in_clear)

    def _emit(self, pairs: list[Pair]) -> None:
        for request, response, outcome, ended, pending_ns, problems in pairs:
            frame, header = (request.frame, request.header) if request is not None else (None, None)
            found = [*frame.problems] if frame is not None else []
            if response is not None:
                found += response.problems
            if not self._settled and header is not None and outcome == "answered":
                self._settle(header.api_key)
            call = self.facts().call(frame, response, header, outcome, ended, pending_ns, [*found, *problems])
            self._calls.append(call)
            if header is not None and header.api_key == SASL_AUTHENTICATE:
                take_login(self._authentication, call)
            self.call_count += 1
            if header is not None and header.api_key == SASL_HANDSHAKE and response is not None:
                self._take_handshake(header, response)

    def _take_handshake(self, header: RequestHeader, response: Frame) -> None:
        refused = response.data[4:6] != b"\x00\x00"
        self._raw_sasl = header.api_version == 0 and not refused
        self._handshake_v0 = False


def _plausible_request(size: int, start: bytes) -> bool:
    return size <= LARGEST_PLAUSIBLE and request_header(size.to_bytes(4, "big") + start[:1100]) is not None


def _plausible_response(pairing: Pairing, lost_ids: LostIds, size: int, start: bytes) -> bool:
    del size
    number = int.from_bytes(start[:4], "big", signed=True)
    return number in pairing.layouts() or lost_ids.may_have(number) is True


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


def _expects_response(header: RequestHeader, frame: Frame) -> bool:
    """Tell whether a broker answers: always, but for Produce with acks=0."""
    if header.api_key != PRODUCE:
        return True
    data = frame.data
    place = header.end
    if header.api_version >= 9:
        # transactionalId is a compact nullable string; ids of over 126 bytes take a second length byte.
        length = data[place] if place < len(data) else 0
        if length > 127:
            length = (length & 127) | (data[place + 1] << 7 if place + 1 < len(data) else 0)
            place += 1
        place += max(length, 1)
    elif header.api_version >= 3:
        place += 2 + max(int.from_bytes(data[place : place + 2], "big", signed=True), 0)
    return data[place : place + 2] != b"\x00\x00"
