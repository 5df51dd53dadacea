# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Pairs the requests and responses of one connection: first in, first out, with the correlation id checked."""

from collections.abc import Iterator
from typing import NamedTuple

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Outcome, Side
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.limits import Budget
from kafkasniff.capture.packets import Arrival
from kafkasniff.protocol.api_keys import PRODUCE
from kafkasniff.protocol.errors import Problem
from kafkasniff.protocol.headers import RequestHeader

if not cython.compiled:
    from kafkasniff.octets import signed32, unsigned16

FIRST_IN_TRANSACTIONS = 3
"""The version of Produce from which on a transactional id stands before the acks (KIP-98), …"""
FLEXIBLE_PRODUCE = 9
"""… and that from which on it is compact (KIP-482)."""

_PRODUCE, _FIRST_IN_TRANSACTIONS, _FLEXIBLE_PRODUCE = PRODUCE, FIRST_IN_TRANSACTIONS, FLEXIBLE_PRODUCE
_LARGEST_INT16 = 0x7FFF

PATIENCE = 64
"""Later frames of the connection after which a response's request is no longer expected to be captured; so many
responses at most wait for theirs."""

_MOST_GONE = 64
"""Places of requests that were taken out, which a queue keeps at most before its other half."""


class RequestQueue:
    """Requests in the order in which they came, each with its header."""

    __slots__ = ("_first", "_gone", "_others")

    def __init__(self) -> None:
        """Begin with none."""
        self._first: Frame | None = None
        """Most clients wait for each answer before they ask again."""
        self._others: list[Frame] | None = None
        """Those behind the first, of which so many are `_gone`; None where there were none."""
        self._gone = 0

    def count(self) -> int:
        """Give how many there are."""
        if self._others is not None:
            return len(self._others) - self._gone + 1
        return 0 if self._first is None else 1

    def __iter__(self) -> Iterator[Frame]:
        """Give them in order."""
        return iter(([] if self._first is None else [self._first]) + (self._others or [])[self._gone :])

    def append(self, request: Frame) -> None:
        """Add one behind all others."""
        if self._first is None:
            self._first = request
        elif self._others is None:
            self._others = [request]
        else:
            self._others.append(request)

    def first(self) -> Frame:
        """Give the one that came first; there must be one."""
        assert self._first is not None
        return self._first

    def last(self) -> Frame:
        """Give the one that came last; there must be one."""
        return self.first() if self._others is None else self._others[-1]

    def pop_first(self) -> Frame:
        """Take out the one that came first; there must be one."""
        request = self.first()
        others = self._others
        if others is None:
            self._first = None
            return request
        self._first = others[self._gone]
        self._gone += 1
        if self._gone == len(others):
            self._others = None
            self._gone = 0
        elif self._gone >= _MOST_GONE and 2 * self._gone > len(others):
            del others[: self._gone]
            self._gone = 0
        return request


class Pair(NamedTuple):
    """A call as the pairing sees it."""

    request: Frame | None
    response: Frame | None
    outcome: Outcome
    ended: Arrival
    pending_ns: int | None = None
    problems: tuple[Problem, ...] = ()


class Pairing:
    """The requests that wait for answers, and the responses that came before their request was seen."""

    __slots__ = (
        "_early",
        "_frames",
        "budget",
        "has_early",
        "lost_at",
        "requests_complete",
        "responses_lost",
        "waiting",
        "waiting_bytes",
    )

    def __init__(self, budget: Budget, requests_complete: bool = True) -> None:
        """Begin with none; `requests_complete`: False when a request may have been sent that the capture lacks."""
        self.budget = budget
        self.waiting = RequestQueue()
        self.waiting_bytes = 0
        self.responses_lost = 0
        """How often bytes of the response stream were found lost."""
        self.lost_at: Arrival | None = None
        """Where bytes of the response stream were last found lost."""
        self.requests_complete = requests_complete
        self._early: list[tuple[Frame, int]] = []
        self.has_early = False
        """Whether responses wait for requests that were not seen yet."""
        self._frames = 0

    def lose_responses(self, arrival: Arrival) -> None:
        """Note that bytes of the response stream are lost."""
        self.responses_lost += 1
        self.lost_at = arrival

    def lose_requests(self) -> None:
        """Note that bytes of the request stream are lost."""
        self.requests_complete = False

    def add_request(self, frame: Frame) -> None:
        """Take a request that will be answered, and has its header."""
        self._frames += 1
        frame.responses_lost = self.responses_lost
        size = len(frame.data)
        self.waiting.append(frame)
        self.waiting_bytes += size
        self.budget.take(size)

    def pair_early(self, frame: Frame) -> list[Pair]:
        """Take such a request where responses wait for theirs (`has_early`); give the calls that end by it."""
        for index, (response, since) in enumerate(self._early):
            if correlation_id(response) == frame.header.correlation_id:
                if not self.requests_complete and since <= index + 1 and _order(response.last) < _order(frame.first):
                    # As in `_is_older`, where the response was taken first.
                    break
                self._frames += 1
                pairs = self._give_up_early(index)
                self._pop_early()
                return [*pairs, Pair(frame, response, "answered", max(frame.last, response.last, key=_order))]
        self.add_request(frame)
        return self._give_up_late()

    def answered_by(self, frame: Frame) -> Frame | None:
        """Take a response if it answers the request that waits longest, and nothing waits with it; give the request."""
        if not self.waiting.count() or self.has_early:
            return None
        request = self.waiting.first()
        if request.header.correlation_id != signed32(frame.data, 0):
            return None
        if not self.requests_complete and self._is_older(frame):
            return None
        self._frames += 1
        return self._remove_first()

    def add_response(self, frame: Frame) -> list[Pair]:
        """Take a response whose correlation id is there."""
        is_older = not self.requests_complete and self._is_older(frame)
        self._frames += 1
        wanted = correlation_id(frame)
        for request in self.waiting if not is_older else ():
            if request.header.correlation_id == wanted:
                pairs = self._give_up_early(len(self._early), request)
                while self.waiting.first() is not request:
                    pairs.append(self._without_response(frame.last))
                self._remove_first()
                pairs.append(Pair(request, frame, "answered", frame.last))
                return pairs
        self._early.append((frame, self._frames))
        self.has_early = True
        return self._give_up_late()

    def _is_older(self, frame: Frame) -> bool:
        """Tell whether the first response of all came before the first request of all that was seen.

        It may answer one of before the capture, whose id a later one repeats: it waits until another answer comes to
        that, or none does.
        """
        if self._frames != self.waiting.count() or not self._frames:
            return False
        return _order(frame.last) < _order(self.waiting.first().first)

    def frames(self, side: Side) -> list[Frame]:
        """Give the requests that wait for answers, or the responses that wait for their requests."""
        if side == "request":
            return [*self.waiting]
        return [frame for frame, _ in self._early]

    def waits_for(self, correlation_id: int) -> bool:
        """Tell whether a request with this id waits for its answer."""
        return correlation_id in [request.header.correlation_id for request in self.waiting]

    def early_ids(self) -> set[int]:
        """Give the correlation ids of responses whose request was not seen."""
        return {correlation_id(frame) for frame, _ in self._early}

    def layouts(self) -> dict[int, tuple[int, int]]:
        """Give API key and version of the waiting requests by correlation id; of equal ids the first."""
        found: dict[int, tuple[int, int]] = {}
        for request in self.waiting:
            found.setdefault(request.header.correlation_id, (request.header.api_key, request.header.api_version))
        return found

    def give_up_oldest(self, arrival: Arrival, ended: Arrival | None = None) -> Pair:
        """Give the longest waiting request as a call, `ended` then, whose answer was not captured up to a packet."""
        request = self._remove_first()
        pending = max(0, arrival.time - request.last.time)
        return Pair(request, None, "response-not-captured", ended or arrival, pending)

    def end(self, arrival: Arrival, responses_ended: bool, partial: Frame | None, until: int) -> list[Pair]:
        """Give all that is left when the connection or the capture ends.

        `responses_ended` tells whether the response stream was seen to its end; `partial` is what there is of a
        response at that end. Up to `until`, in ns since 1970, an answer would have been captured.
        """
        pairs = self._give_up_early(len(self._early))
        while self.waiting.count():
            request = self.waiting.first()
            if partial is not None and correlation_id(partial) == request.header.correlation_id:
                self._remove_first()
                pending = max(0, until - request.last.time)
                pairs.append(
                    Pair(request, partial, "unanswered", arrival)
                    if responses_ended
                    else Pair(request, partial, "response-not-captured", arrival, pending)
                )
            else:
                pairs.append(self._without_response(arrival, responses_ended, arrival.at(until)))
        return pairs

    def _without_response(
        self, arrival: Arrival, seen_to_the_end: bool = True, last_known: Arrival | None = None
    ) -> Pair:
        request = self.waiting.first()
        if acks_cut_off(request):
            self._remove_first()
            message = "the capture cuts acks off here: it is not known whether an answer was to come"
            problem = Problem("request", len(request.data), "acks", message)
            return Pair(request, None, "response-not-captured", arrival, problems=(problem,))
        if seen_to_the_end and request.responses_lost == self.responses_lost:
            self._remove_first()
            return Pair(request, None, "unanswered", arrival)
        lost = self.lost_at if request.responses_lost < self.responses_lost else last_known
        return self.give_up_oldest(lost or arrival, arrival)

    def _remove_first(self) -> Frame:
        request = self.waiting.pop_first()
        size = len(request.data)
        self.waiting_bytes -= size
        self.budget.give_back(size)
        return request

    def _give_up_early(self, count: int, answered: Frame | None = None) -> list[Pair]:
        """Let go of the first `count` responses; none of them can answer the request `answered`."""
        pairs = []
        for _ in range(count):
            frame = self._pop_early()
            request = self.waiting.first() if self.waiting.count() else None
            if (
                request is not answered
                and request is not None
                and request.header.correlation_id == correlation_id(frame)
            ):
                self._remove_first()
                pairs.append(Pair(request, frame, "answered", max(request.last, frame.last, key=_order)))
                continue
            problems: tuple[Problem, ...] = ()
            if self.requests_complete:
                message = f"correlation id {correlation_id(frame)} belongs to no request of this connection"
                problems = (Problem("response", 0, "", message),)
            pairs.append(Pair(None, frame, "request-not-captured", frame.last, problems=problems))
        return pairs

    def _pop_early(self) -> Frame:
        frame = self._early.pop(0)[0]
        self.has_early = bool(self._early)
        return frame

    def _give_up_late(self) -> list[Pair]:
        late = 0
        for _, since in self._early:
            if self._frames - since < PATIENCE:
                break
            late += 1
        return self._give_up_early(late)


def correlation_id(response: Frame) -> int:
    """Read a response's correlation id, which every response header begins with."""
    return signed32(response.data, 0)


def expects_response(frame: Frame) -> bool:
    """Tell whether a broker answers a request: always, but for Produce with acks=0."""
    header = frame.header
    if header.api_key != _PRODUCE:
        return True
    data = frame.data
    place = _acks_place(header, data)
    return place + 2 > len(data) or data[place] != 0 or data[place + 1] != 0


def acks_cut_off(frame: Frame) -> bool:
    """Tell whether the capture lacks what says if a broker answers a request."""
    header = frame.header
    return header.api_key == _PRODUCE and not frame.whole and _acks_place(header, frame.data) + 2 > len(frame.data)


def _acks_place(header: RequestHeader, data: bytes) -> int:
    """Give where a Produce request has its acks, as far as its beginning tells."""
    place = header.end
    if header.api_version >= _FLEXIBLE_PRODUCE:
        # transactionalId is a compact nullable string; ids of over 126 bytes take a second length byte.
        length = data[place] if place < len(data) else 0
        if length > 127:
            length = (length & 127) | (data[place + 1] << 7 if place + 1 < len(data) else 0)
            place += 1
        place += max(length, 1)
    elif header.api_version >= _FIRST_IN_TRANSACTIONS and place + 2 <= len(data):
        length = unsigned16(data, place)
        place += 2 + (length if length <= _LARGEST_INT16 else 0)
    return place


def _order(arrival: Arrival) -> tuple[int, int]:
    return arrival.time, arrival.packet
