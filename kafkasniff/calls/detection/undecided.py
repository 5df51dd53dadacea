"""A connection whose first bytes do not prove what it is: it is held, and judged anew with what comes."""

from functools import partial
from typing import NamedTuple

from kafkasniff.calls.correlation.frames import SIZE_PREFIX
from kafkasniff.calls.detection.recognition import (
    FIRST_BYTES,
    evidence_of,
    is_kerberos_token,
    proxy_header_length,
    recognise,
)
from kafkasniff.calls.limits import Budget, CallLimits
from kafkasniff.calls.resync.boundaries import response_ids
from kafkasniff.calls.resync.evidence import (
    HARDLY_PLAUSIBLE,
    LARGEST_PLAUSIBLE,
    PROOF,
    Score,
    may_be_unknown_request,
    read_prefix,
    request_header,
    score_request,
)
from kafkasniff.calls.resync.held import HeldStream
from kafkasniff.calls.resync.lone_responses import LoneResponses
from kafkasniff.calls.resync.response_evidence import may_be_response
from kafkasniff.calls.resync.search import BoundarySearch
from kafkasniff.protocol.api_table import APIS
from kafkasniff.tcp.events import Connection, Endpoint, StreamData, StreamGap


class Verdict(NamedTuple):
    """What a connection is found to be."""

    protocol: str
    """`kafka`, another protocol's name or `unknown`."""
    evidence: str
    client: int = 0
    """The client's direction, where it is Kafka, …"""
    place: int | None = None
    """… a frame boundary of the client, as its stream position, if known, …"""
    response_place: int | None = None
    """… one of the server's, …"""
    raw_sasl: bool = False
    """… and whether tokens without a frame's header come first."""


class Undecided:
    """Holds both directions until they prove what the connection is."""

    __slots__ = (
        "_budget",
        "_connection",
        "_limits",
        "_lone_responses",
        "_searches",
        "_servers",
        "_time",
        "seen",
    )

    def __init__(
        self, connection: Connection, limits: CallLimits, kafka_servers: dict[Endpoint, int], budget: Budget
    ) -> None:
        """Hold nothing yet. `kafka_servers` tells since when servers are known to speak Kafka."""
        self._connection = connection
        self._limits = limits
        self._servers = kafka_servers
        self._budget = budget
        self._searches = BoundarySearch(limits.search_bytes, budget), BoundarySearch(limits.search_bytes, budget)
        """What searches both directions for proof."""
        self._lone_responses: dict[int, LoneResponses] = {}
        self._time = 0
        self.seen = 0
        """Bytes of both directions that came."""

    def held(self, direction: int) -> HeldStream:
        """Give what is held of a direction."""
        return self._searches[direction].held

    def push(self, event: StreamData) -> None:
        """Take bytes."""
        self.seen += len(event.data)
        self.held(event.direction).push(event)

    def push_gap(self, gap: StreamGap) -> None:
        """Take a gap."""
        self.held(gap.direction).push_gap(gap)

    def release(self) -> None:
        """Let go of what is held."""
        for search in self._searches:
            search.held.clear()

    def decide(self, time: int) -> Verdict | None:
        """Say what the connection is, at a time in ns since 1970; None where nothing tells yet."""
        self._time = time
        initiator = self._connection.initiator
        if initiator is not None:
            is_decided, verdict = self._decide_by_first_bytes(initiator)
            if is_decided:
                return verdict
        clients = self._clients()
        for client in clients:
            answers = response_ids(self.held(1 - client))
            place = self._searches[client].find_request(partial(_score, answers, initiator is not None), again=True)
            if place is not None:
                evidence = evidence_of(place, self._connection.endpoints[client])
                return Verdict("kafka", evidence, client, self._first_boundary(client, place))
        return self._decide_by_responses(clients) or self._recognise()

    def decide_at_end(self, time: int) -> Verdict:
        """Do so when nothing more comes: no request that proves itself can come any more, whatever the client sent."""
        for search in self._searches:
            search.held.ended = True
        verdict = self.decide(time) or self._decide_by_responses(self._clients(), at_end=True)
        return verdict or self._decide_by_refusal() or Verdict("unknown", "nothing in it proves a protocol")

    def _clients(self) -> tuple[int, ...]:
        """Give the directions that may be the client's."""
        initiator = self._connection.initiator
        return (0, 1) if initiator is None else (initiator,)

    def _first_boundary(self, client: int, place: int) -> int:
        """Give the first frame boundary of a client that is proven to speak Kafka at `place`.

        Where the connection's first byte was seen, that is a boundary, though there its bytes alone proved nothing.
        """
        held = self.held(client)
        start = read_prefix(held, 0) if self._connection.initiator is not None and not held.discarded else None
        if start is not None and (
            request_header(start) is not None or _is_damaged_size(start) or may_be_unknown_request(start, ())
        ):
            return 0
        from kafkasniff.calls.resync.lookback import earlier_requests

        return earlier_requests(held, place)

    def _decide_by_first_bytes(self, client: int) -> tuple[bool, Verdict | None]:
        """Judge the first bytes of a connection whose beginning was captured; tell whether nothing else is to judge."""
        held = self.held(client)
        start = held.read(0, min(FIRST_BYTES, held.end))
        if not start:
            return False, None
        place = proxy_header_length(start)
        if place == 0:
            return True, None
        place = place or 0
        start = start[place:]
        size = int.from_bytes(start[:4], "big", signed=True)
        if is_kerberos_token(start[4:]) and 0 < size < 1 << 16:
            evidence = "a Kerberos token as older clients send it"
            return True, Verdict("kafka", evidence, client, place, raw_sasl=True)
        prefix = read_prefix(held, place)
        if prefix is not None and request_header(prefix) is None and not held.discarded:
            known = recognise(start)
            if known is None and (_is_damaged_size(start) or may_be_unknown_request(prefix, ())):
                # What follows may still prove that it is Kafka.
                return False, None
            return True, Verdict(*(known or ("unknown", "its first bytes are no Kafka request")))
        return False, None

    def _decide_by_responses(self, clients: tuple[int, ...], at_end: bool = False) -> Verdict | None:
        """Take for Kafka a connection of which only responses were captured, on what they alone can prove.

        Where there are bytes of the client too, they may still prove more, but for `at_end`, or where the snap length
        left nothing of them that could.
        """
        from kafkasniff.calls.detection.first_responses import begins_with_cut_requests, evidence_of_first_responses
        from kafkasniff.calls.resync.lookback import earlier_responses

        for client in clients:
            held = self.held(1 - client)
            cut = begins_with_cut_requests(self.held(client))
            if not held.segment_starts or not (cut or at_end or not self.held(client).end):
                continue
            if cut or not at_end:
                begun = self._connection.initiator == client
                evidence = evidence_of_first_responses(held, begun, self._limits.search_bytes)
                if evidence is not None:
                    return Verdict("kafka", evidence, client, 0)
            of_kafka = self._speaks_kafka(self._connection.endpoints[1 - client])
            lone = self._lone_responses.setdefault(client, LoneResponses())
            first = lone.find(held, of_kafka, again=at_end)
            if first is not None:
                evidence = "responses whose sizes, ids and bodies agree, though no request was captured whole"
                return Verdict("kafka", evidence, client, response_place=earlier_responses(held, first))
        return None

    def _decide_by_refusal(self) -> Verdict | None:
        """Take for Kafka a connection of one request in a version that no release has, as a broker deals with it.

        It closes the connection (SocketServer.processCompletedReceives), where it knows no newer releases than we do.
        """
        client = self._connection.initiator
        if client is None or self._connection.ended_by not in ("fin", "rst"):
            return None
        held, refused = self.held(client), self._connection.ended_direction == 1 - client
        prefix = read_prefix(held, 0)
        if prefix is None or not refused or self.held(1 - client).end or held.read(0, held.end) is None:
            return None
        size, api_key = (int.from_bytes(prefix[place], "big") for place in (slice(0, 4), slice(4, 6)))
        if api_key not in APIS or held.end != SIZE_PREFIX + size or not may_be_unknown_request(prefix, ()):
            return None
        evidence = "one request in a version that no release of Kafka has, for which the server closed the connection"
        return Verdict("kafka", evidence, client, 0)

    def _speaks_kafka(self, server: Endpoint) -> bool:
        """Tell whether another connection had proven by now that a server speaks Kafka."""
        since = self._servers.get(server)
        return since is not None and (since <= self._time or self._connection.ended_by == "capture-end")

    def _recognise(self) -> Verdict | None:
        """Tell another protocol by its first bytes, or that so many bytes prove nothing."""
        for direction in (0, 1):
            held = self.held(direction)
            start = held.read(0, min(FIRST_BYTES, held.end)) if held.end else None
            known = recognise(start) if start else None
            if known is not None:
                return Verdict(*known)
        if self.seen > self._limits.undecided_bytes:
            most = self._limits.undecided_bytes >> 20
            self._budget.reach(f"connection taken for no Kafka: nothing in its first {most} MiB proves it")
            return Verdict("unknown", f"no Kafka in {self.seen} bytes")
        return None


def _is_damaged_size(start: bytes) -> bool:
    """Tell whether bytes may begin with a size prefix that is none, rather than with the text of another protocol."""
    return not 0 <= int.from_bytes(start[:4], "big", signed=True) <= LARGEST_PLAUSIBLE and not start[:4].isascii()


def _score(answers: set[int], begun: bool, held: HeldStream, place: int) -> Score:
    score = score_request(held, place, answers.__contains__, first=begun and place == 0)
    if not begun and score.points >= PROOF and may_be_response(held, place):
        # It is not known who the client is.
        return score._replace(points=PROOF - 1)
    if begun and place == 0 and score.points > 0:
        # Its first byte is a boundary of whatever the connection speaks, and its first four are not any four.
        large = int.from_bytes(held.read(0, 4) or b"", "big") >= HARDLY_PLAUSIBLE
        return score._replace(points=score.points + 1 + large)
    return score
