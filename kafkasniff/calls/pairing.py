"""Pairs the requests and responses of one connection: first in, first out, with the correlation id checked."""

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from kafkasniff.calls.call import Frame, Outcome, Side
from kafkasniff.calls.limits import Budget
from kafkasniff.capture.packets import Arrival
from kafkasniff.protocol.errors import Problem
from kafkasniff.protocol.headers import RequestHeader

PRODUCE = 0
FIRST_IN_TRANSACTIONS = 3
"""The version of Produce from which on a transactional id stands before the acks (KIP-98), …"""
FLEXIBLE_PRODUCE = 9
"""… and that from which on it is compact (KIP-482)."""

PATIENCE = 64
"""Later frames of the connection after which a response's request is no longer expected to be captured; so many
responses at most wait for theirs."""

MOST_WAITING = 256
"""Requests that wait for answers of which each is looked at again and again."""


@dataclass(slots=True)
class WaitingRequest:
    """A request without its answer so far."""

    frame: Frame
    header: RequestHeader
    responses_lost: int
    """What `Pairing.responses_lost` was when the request came."""


class Pair(NamedTuple):
    """A call as the pairing sees it."""

    request: WaitingRequest | None
    response: Frame | None
    outcome: Outcome
    ended: Arrival
    pending_ns: int | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(slots=True)
class Pairing:
    """The requests that wait for answers, and the responses that came before their request was seen."""

    budget: Budget
    waiting: deque[WaitingRequest] = field(default_factory=deque)
    waiting_bytes: int = 0
    responses_lost: int = 0
    """How often bytes of the response stream were found lost."""
    lost_at: Arrival | None = None
    """Where bytes of the response stream were last found lost."""
    requests_complete: bool = True
    """False when a request may have been sent that the capture lacks."""
    _early: deque[tuple[Frame, int]] = field(default_factory=deque)
    _frames: int = 0

    def lose_responses(self, arrival: Arrival) -> None:
        """Note that bytes of the response stream are lost."""
        self.responses_lost += 1
        self.lost_at = arrival

    def lose_requests(self) -> None:
        """Note that bytes of the request stream are lost."""
        self.requests_complete = False

    def add_request(self, frame: Frame, header: RequestHeader) -> list[Pair]:
        """Take a request that will be answered."""
        self._frames += 1
        request = WaitingRequest(frame, header, self.responses_lost)
        for index, (response, _) in enumerate(self._early):
            if correlation_id(response) == header.correlation_id:
                pairs = self._give_up_early(index)
                self._early.popleft()
                return [*pairs, Pair(request, response, "answered", max(frame.last, response.last, key=_order))]
        size = len(frame.data)
        self.waiting.append(request)
        self.waiting_bytes += size
        self.budget.take(size)
        return self._give_up_late()

    def add_response(self, frame: Frame) -> list[Pair]:
        """Take a response whose correlation id is there."""
        self._frames += 1
        wanted = correlation_id(frame)
        if self.waiting and self.waiting[0].header.correlation_id == wanted and not self._early:
            return [Pair(self._remove_first(), frame, "answered", frame.last)]
        for index, request in enumerate(self.waiting):
            if request.header.correlation_id == wanted:
                pairs = self._give_up_early(len(self._early))
                pairs += [self._without_response(frame.last) for _ in range(index)]
                self._remove_first()
                pairs.append(Pair(request, frame, "answered", frame.last))
                return pairs
        self._early.append((frame, self._frames))
        return self._give_up_late()

    @property
    def is_plain(self) -> bool:
        """Tell whether the next answer can only be that of the request that waits longest, with which all is well."""
        if self._early or len(self.waiting) > MOST_WAITING:
            return False
        return not any(each.frame.problems or not each.frame.whole for each in self.waiting)

    def take_answered(self, waiting: int, frames: int) -> None:
        """Note that `waiting` of the requests that wait were answered, and that `frames` frames came meanwhile."""
        for _ in range(waiting):
            self._remove_first()
        self._frames += frames

    def frames(self, side: Side) -> list[Frame]:
        """Give the requests that wait for answers, or the responses that wait for their requests."""
        if side == "request":
            return [request.frame for request in self.waiting]
        return [frame for frame, _ in self._early]

    def early_ids(self) -> set[int]:
        """Give the correlation ids of responses whose request was not seen."""
        return {correlation_id(frame) for frame, _ in self._early}

    def layouts(self) -> dict[int, tuple[int, int]]:
        """Give API key and version of the waiting requests by correlation id; of equal ids the first."""
        found: dict[int, tuple[int, int]] = {}
        for request in self.waiting:
            found.setdefault(request.header.correlation_id, (request.header.api_key, request.header.api_version))
        return found

    def give_up_oldest(self, arrival: Arrival) -> Pair:
        """Give the longest waiting request as a call whose answer was not captured."""
        request = self._remove_first()
        return Pair(request, None, "response-not-captured", arrival, max(0, arrival.time - request.frame.last.time))

    def end(self, arrival: Arrival, responses_ended: bool, partial: Frame | None) -> list[Pair]:
        """Give all that is left when the connection or the capture ends.

        `responses_ended` tells whether the response stream was seen to its end; `partial` is what there is of a
        response at that end.
        """
        pairs = self._give_up_early(len(self._early))
        while self.waiting:
            request = self.waiting[0]
            if partial is not None and correlation_id(partial) == request.header.correlation_id:
                self._remove_first()
                pending = max(0, arrival.time - request.frame.last.time)
                pairs.append(
                    Pair(request, partial, "unanswered", arrival)
                    if responses_ended
                    else Pair(request, partial, "response-not-captured", arrival, pending)
                )
            else:
                pairs.append(self._without_response(arrival, responses_ended))
        return pairs

    def _without_response(self, arrival: Arrival, seen_to_the_end: bool = True) -> Pair:
        request = self.waiting[0]
        if seen_to_the_end and request.responses_lost == self.responses_lost:
            self._remove_first()
            return Pair(request, None, "unanswered", arrival)
        lost = self.lost_at if self.lost_at is not None and request.responses_lost < self.responses_lost else arrival
        pair = self.give_up_oldest(lost)
        return pair._replace(ended=arrival)

    def _remove_first(self) -> WaitingRequest:
        request = self.waiting.popleft()
        size = len(request.frame.data)
        self.waiting_bytes -= size
        self.budget.give_back(size)
        return request

    def _give_up_early(self, count: int) -> list[Pair]:
        pairs = []
        for _ in range(count):
            frame, _ = self._early.popleft()
            problems: tuple[Problem, ...] = ()
            if self.requests_complete:
                message = f"correlation id {correlation_id(frame)} belongs to no request of this connection"
                problems = (Problem("response", 0, "", message),)
            pairs.append(Pair(None, frame, "request-not-captured", frame.last, problems=problems))
        return pairs

    def _give_up_late(self) -> list[Pair]:
        late = 0
        for _, since in self._early:
            if self._frames - since < PATIENCE:
                break
            late += 1
        return self._give_up_early(late)


def correlation_id(response: Frame) -> int:
    """Read a response's correlation id, which every response header begins with."""
    return int.from_bytes(response.data[:4], "big", signed=True)


def expects_response(header: RequestHeader, frame: Frame) -> bool:
    """Tell whether a broker answers: always, but for Produce with acks=0."""
    if header.api_key != PRODUCE:
        return True
    data = frame.data
    place = header.end
    if header.api_version >= FLEXIBLE_PRODUCE:
        # transactionalId is a compact nullable string; ids of over 126 bytes take a second length byte.
        length = data[place] if place < len(data) else 0
        if length > 127:
            length = (length & 127) | (data[place + 1] << 7 if place + 1 < len(data) else 0)
            place += 1
        place += max(length, 1)
    elif header.api_version >= FIRST_IN_TRANSACTIONS:
        place += 2 + max(int.from_bytes(data[place : place + 2], "big", signed=True), 0)
    return data[place : place + 2] != b"\x00\x00"


def _order(arrival: Arrival) -> tuple[int, int]:
    return arrival.time, arrival.packet
