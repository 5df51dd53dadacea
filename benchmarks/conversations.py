"""The course of a conversation on a connection: requests sent, pipelined or not, and answered in turn."""

import itertools
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from benchmarks import messages
from benchmarks.framing import CLIENT, SERVER, Connection, Packet
from benchmarks.messages import Api


@dataclass
class Tally:
    """What was said on all connections together."""

    messages: Counter[tuple[Api, str]] = field(default_factory=Counter)
    """Messages by API and `request` or `response`."""
    records: int = 0
    """Records in Produce requests and Fetch responses."""


class Exchange(NamedTuple):
    """A request's body and its response's."""

    api: Api
    request: bytes
    response: bytes
    delay: float
    """Microseconds that the broker takes."""
    records: int = 0
    """Records in request and response."""


def converse(
    connection: Connection,
    client_id: str,
    opening: Iterable[Exchange],
    exchanges: Iterable[Exchange],
    *,
    window: int,
    tally: Tally,
    random: Random,
    pause: float = 500,
    goes_on: Callable[[], bool] = lambda: True,
    apart: float = 0.5,
) -> Iterator[Packet]:
    """Connect, speak `opening` step by step, then `exchanges` with up to `window` requests unanswered, and close.

    `pause` is the client's mean rest between rounds in microseconds; when `goes_on` says no, no more is asked.
    `apart` is the share of rounds whose messages are written one by one, not joined.
    """
    correlation_ids = itertools.count()
    yield from connection.open()
    for phase, most in ((opening, 1), (exchanges, window)):
        upcoming = iter(phase)
        pending: deque[tuple[Exchange, int]] = deque()
        while True:
            requests = []
            if len(pending) < most and goes_on():
                for exchange in itertools.islice(upcoming, random.randint(1, most - len(pending))):
                    correlation_id = next(correlation_ids)
                    requests.append(messages.frame_request(exchange.api, correlation_id, client_id, exchange.request))
                    pending.append((exchange, correlation_id))
                    tally.messages[exchange.api, "request"] += 1
                    tally.records += exchange.records
            if not pending:
                break
            yield from _write(connection, CLIENT, requests, apart, random)
            responses = []
            for _ in range(random.randint(1, len(pending))):
                exchange, correlation_id = pending.popleft()
                connection.wait(100 + exchange.delay)
                responses.append(messages.frame_response(exchange.api, correlation_id, exchange.response))
                tally.messages[exchange.api, "response"] += 1
            yield from _write(connection, SERVER, responses, apart, random)
            connection.wait(random.expovariate(1 / pause))
    yield from connection.close()


def _write(
    connection: Connection, direction: int, frames: Sequence[bytes], apart: float, random: Random
) -> Iterator[Packet]:
    """Send frames, at times one write each, at times joined: several in a segment, or cut anywhere."""
    for data in frames if random.random() < apart else [b"".join(frames)]:
        yield from connection.send(direction, data)
        connection.wait(20)
