# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Makes calls of the frames of a connection: pairs them, and says what is wrong with them or stood between them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any, also for programs that use the classes
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call, Outcome, Side
from kafkasniff.calls.correlation.frames import SIZE_PREFIX, FrameCutter
from kafkasniff.calls.correlation.pairing import Pair, Pairing, correlation_id
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.enrichment.identity import LOGIN_APIS, Identity
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.items import Item
from kafkasniff.calls.limits import CallLimits
from kafkasniff.calls.options import CallOptions
from kafkasniff.calls.resync.boundaries import Boundaries
from kafkasniff.calls.resync.contradictions import Contradictions
from kafkasniff.calls.resync.evidence import ID_STEP, SMALLEST_REQUEST, tells_client
from kafkasniff.calls.resync.held import HELD_AT_LEAST
from kafkasniff.calls.resync.response_evidence import SMALLEST_RESPONSE
from kafkasniff.capture.packets import Arrival
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.errors import Problem, ProtocolError
from kafkasniff.protocol.headers import RequestHeader, read_cut_request_header, read_unknown_request_header
from kafkasniff.tcp.events import Connection

if not cython.compiled:
    from kafkasniff.calls.call import new_call
    from kafkasniff.calls.correlation.pairing import expects_response
    from kafkasniff.protocol.headers import is_known, read_request_header
    from kafkasniff.tcp.events import endpoint_text

_FIRST_LOGIN_API, _LAST_LOGIN_API = min(LOGIN_APIS), max(LOGIN_APIS)
_SMALLEST_REQUEST, _SMALLEST_RESPONSE = SMALLEST_REQUEST, SMALLEST_RESPONSE

VERSIONS_AHEAD = 32
"""How far a version may be beyond the newest known and still be taken for a version."""


class Correlator:
    """Takes the frames of both directions of a connection, gives its calls."""

    __slots__ = (
        "_boundaries",
        "_client_text",
        "_context",
        "_contradictions",
        "_cutters",
        "_limits",
        "_may_be_contradicted",
        "_most_pending",
        "_pending_bytes",
        "_server_text",
        "_show_secrets",
        "call_count",
        "calls",
        "calls_before",
        "client",
        "connection",
        "identity",
        "notes",
        "pairing",
    )

    @cython.locals(connection=Connection, options=CallOptions, pairing=Pairing)
    def __init__(
        self,
        connection: Connection,
        client: int,
        limits: CallLimits,
        options: CallOptions,
        pairing: Pairing,
        boundaries: Boundaries,
        cutters: tuple[FrameCutter, FrameCutter],
        identity: Identity,
    ) -> None:
        """Begin with no call; frames come from `cutters`, whose boundaries `boundaries` find."""
        self.connection = connection
        self.client = client
        first_end, second_end = connection.endpoints
        client_end, server_end = (second_end, first_end) if client else (first_end, second_end)
        self._client_text = endpoint_text(client_end)
        self._server_text = endpoint_text(server_end)
        self._limits = limits
        self._most_pending = limits.pending_calls
        self._pending_bytes = min(limits.pending_bytes, HELD_AT_LEAST)
        self.pairing = pairing
        self._boundaries = boundaries
        self._cutters = cutters
        self.identity = identity
        self._show_secrets = options.show_secrets
        self._context = options.context
        self.notes: dict[int, str] = {}
        """By direction, what stood where a message was expected: the next message says so."""
        self._contradictions: Contradictions | None = None
        self._may_be_contradicted = False
        self.calls: list[Item] = []
        """What ended: calls, and raw tokens."""
        self.calls_before = 0
        """How many of these were there before what is being taken."""
        self.call_count = 0
        self.expect_tokens()

    def take_request(self, frame: Frame) -> bool:
        """Take a frame of the client; False when it is none, so that the boundary it was cut at must be wrong."""
        if self.identity.is_logging_in():
            if self.identity.sends_token(frame):
                return self._take_token(frame, "request")
            self.expect_tokens()
        try:
            header = read_request_header(frame.data)
        except ProtocolError as error:
            other = (read_unknown_request_header if frame.whole else read_cut_request_header)(frame.data)
            if other is None and frame.whole:
                found = f"{frame.size} bytes that are no request ({error})"
                self.refuse(self.client, frame.stream_offset, frame.first, found)
                return False
            if other is None:
                self.pairing.lose_requests()
                self._boundaries.lost_ids.lose()
                return True
            header = other
            if not frame.whole:
                frame.problems.append(Problem("request", None, "clientId", "the capture cuts the header off here"))
        frame.header = header
        if not self._is_request(header):
            found = f"{frame.size} bytes that are no request (API key {header.api_key})"
            self.refuse(self.client, frame.stream_offset, frame.first, found)
            return False
        if self._may_be_contradicted or self.notes or frame.limited:
            self._describe(frame, self.client, "request")
        boundaries = self._boundaries
        if header.client_id is not boundaries.last_client_id and (header.end < len(frame.data) or frame.whole):
            boundaries.know_client(header.client_id)
        boundaries.request_id = header.correlation_id
        boundaries.lost_ids.add(header.correlation_id)
        if _is_login_api(header.api_key):
            self.identity.take_request(header, frame)
            self.expect_tokens()
        pairing = self.pairing
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

    def expect_tokens(self) -> None:
        """Let frames be as small as SASL tokens are, as long as the client may send these."""
        tokens = self.identity.is_logging_in()
        cutter = self._cutters[self.client]
        cutter.smallest = 0 if tokens else _SMALLEST_REQUEST
        cutter = self._cutters[1 - self.client]
        cutter.smallest = 0 if tokens else _SMALLEST_RESPONSE

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

    def take_response(self, frame: Frame) -> bool:
        """Take a frame of the server; False when it is none."""
        if self.identity.raw_tokens and not self.pairing.waiting.count():
            return self._take_token(frame, "response")
        if frame.size < _SMALLEST_RESPONSE:
            self.notes[1 - self.client] = f"a message of {frame.size} bytes, too small for a response"
            return True
        if len(frame.data) < _SMALLEST_RESPONSE:
            return True
        if self._may_be_contradicted or self.notes or frame.limited:
            self._describe(frame, 1 - self.client, "response")
        request = self.pairing.answered_by(frame)
        if request is None:
            self._boundaries.answer_id = correlation_id(frame)
            self._emit(self.pairing.add_response(frame))
            return True
        header = request.header
        self._boundaries.answer_id = header.correlation_id
        if not self.identity.settled:
            self.identity.settle(header.api_key, self.pairing.requests_complete)
        self._end_call(request, frame, header, "answered", frame.last, None, ())
        return True

    def _take_token(self, frame: Frame, side: Side) -> bool:
        token = self.identity.take_token(frame, side)
        if token is None:
            return False
        self.calls.append(
            RawToken(self.connection, self._client_text, self._server_text, side, frame.size, frame.last, token)
        )
        return True

    def refuse(self, direction: int, position: int, arrival: Arrival, found: str) -> None:
        """Note what was found in place of a message, at a stream position and in a packet.

        The next message of the direction says so. What follows a message in its segment, as where a buffer was sent
        beyond its size, is a problem of that one too, as there may be no next.
        """
        self.notes[direction] = found
        if direction == self.client:
            # A response may answer a request in these bytes.
            self.lose(direction, arrival)
            self._boundaries.lost_ids.lose()
        # One that was there before may have been handed on.
        call = self.calls[-1] if len(self.calls) > self.calls_before else None
        ended = call if type(call) is Call and call.connection is self.connection else None
        if direction == self.client:
            waiting = self.pairing.waiting
            before = waiting.last() if waiting.count() else ended.request if ended is not None else None
            side: Side = "request"
        else:
            before, side = ended.response if ended is not None else None, "response"
        if before is None or before.last.packet != arrival.packet or _end_of(before) != position:
            return
        problem = Problem(side, None, "", f"behind this message, in its segment, stood {found}")
        if ended is not None and before in (ended.request, ended.response):
            ended.pairing_problems = (*ended.pairing_problems, problem)
        else:
            before.problems.append(problem)

    def _describe(self, frame: Frame, direction: int, side: Side) -> None:
        """Note on a frame what is wrong with it or with what stood before it."""
        if self._contradictions is not None:
            self._contradictions.describe(direction, frame, side)
            self._may_be_contradicted = bool(self._contradictions)
        note = self.notes.pop(direction, None) if self.notes else None
        if note is not None:
            frame.problems.append(Problem(side, None, "", f"before this message stood {note}"))
        if frame.limited:
            text = f"message of {frame.size} bytes: the first {len(frame.data)} were kept"
            frame.problems.append(Problem(side, None, "", text))

    def contradict(self, direction: int, ranges: list[tuple[int, int]]) -> None:
        """Note stream positions, from and up to, whose bytes a segment repeated with other contents."""
        side: Side = "request" if direction == self.client else "response"
        self._may_be_contradicted = True
        if self._contradictions is None:
            self._contradictions = Contradictions()
        self._contradictions.add(direction, ranges, side, self.pairing.frames(side))

    def let_go(self, direction: int, count: int) -> None:
        """Note that `count` bytes of a direction were let go unread, as they were too many to search."""
        if count:
            before = f"{self.notes[direction]}, and " if direction in self.notes else ""
            self.notes[direction] = f"{before}{count} bytes that were let go, as no message was found in them"

    @property
    def unread(self) -> list[str]:
        """Give what was found in place of messages and was followed by none that could say so."""
        return list(self.notes.values()) if self.notes else []

    def lose(self, direction: int, arrival: Arrival) -> None:
        """Note that bytes of a direction were lost, as a packet tells."""
        if direction == self.client:
            self.pairing.lose_requests()
        else:
            self.pairing.lose_responses(arrival)

    @property
    def in_flight(self) -> int:
        """Give how many requests wait for their answers."""
        return self.pairing.waiting.count()

    def give_up_waiting(self, now: int) -> None:
        """End the calls that waited for too long at `now`, in ns since 1970."""
        waiting = self.pairing.waiting
        while waiting.count() and now - waiting.first().last.time >= self._limits.pending_ns:
            # Should the answer still come, then as one whose request is not known any more.
            self.pairing.lose_requests()
            self._emit([self.pairing.give_up_oldest(waiting.first().last.at(now))])

    def _keep_within_limits(self, arrival: Arrival) -> None:
        pairing, limits = self.pairing, self._limits
        while pairing.waiting.count() and (
            pairing.waiting.count() > limits.pending_calls
            or pairing.waiting_bytes > (limits.pending_bytes if pairing.budget.left else HELD_AT_LEAST)
        ):
            problem = Problem("request", None, "", "too many requests wait for answers: given up by a limit")
            self._emit([pairing.give_up_oldest(arrival)._replace(problems=(problem,))])

    def take_calls(self) -> list[Item]:
        """Give the calls that ended, and the raw tokens that came, since the last time."""
        calls, self.calls = self.calls, []
        return calls

    def end(self, arrival: Arrival, rest: Frame | None, until: int) -> None:
        """Let every unfinished call end, as nothing more comes; `rest` is the response that the capture cuts off.

        Up to `until`, in ns since 1970, answers would have been captured.
        """
        # Of a connection that another one took over, the end is not in the capture.
        server_seen = self.connection.counters[1 - self.client].packets > 0
        responses_ended = self.connection.ended_by in ("fin", "rst") and server_seen
        if rest is not None and correlation_id(rest) not in self.pairing.layouts():
            self.take_response(rest)
            rest = None
        self._emit(self.pairing.end(arrival, responses_ended, rest, until))

    def _emit(self, pairs: list[Pair]) -> None:
        for request, response, outcome, ended, pending_ns, problems in pairs:
            header = request.header if request is not None else None
            if header is not None and outcome == "answered" and not self.identity.settled:
                self.identity.settle(header.api_key, self.pairing.requests_complete)
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
        identity = self.identity
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
        self.calls.append(call)
        self.call_count += 1
        if header is not None and _is_login_api(header.api_key):
            identity.take_call(call)
            self.expect_tokens()


def _end_of(frame: Frame) -> int:
    return frame.stream_offset + SIZE_PREFIX + frame.size


def _is_login_api(api_key: int) -> bool:
    return _FIRST_LOGIN_API <= api_key <= _LAST_LOGIN_API and api_key in LOGIN_APIS
