"""A connection from its first byte on: undecided, then Kafka or something else."""

from functools import partial
from heapq import merge

from kafkasniff.calls.authentication import RawToken
from kafkasniff.calls.boundaries import response_ids
from kafkasniff.calls.call import Call, ConnectionReport, Gap, Side
from kafkasniff.calls.evidence import (
    HARDLY_PLAUSIBLE,
    LARGEST_PLAUSIBLE,
    PROOF,
    Score,
    may_be_response,
    read_prefix,
    request_header,
    score_request,
)
from kafkasniff.calls.first_responses import evidence_of_first_responses
from kafkasniff.calls.frames import FrameCutter
from kafkasniff.calls.gaps import HELD_GAPS, Gaps
from kafkasniff.calls.held import HeldStream, Item
from kafkasniff.calls.limits import Budget, CallLimits
from kafkasniff.calls.lone_responses import LoneResponses
from kafkasniff.calls.lookback import earlier_requests, earlier_responses
from kafkasniff.calls.recognition import is_kerberos_token, proxy_header_length, recognise
from kafkasniff.calls.search import BoundarySearch
from kafkasniff.calls.streams import CallOptions, KafkaStreams
from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import Connection, Endpoint, StreamConflict, StreamData, StreamGap

FIRST_BYTES = 1100
"""Bytes from which a request header, with the longest client id, can be judged."""
HELD_CONTRADICTIONS = 1_024
KAFKA_SERVERS = 10_000
"""Servers that are remembered to speak Kafka."""
SHOWN_START = 8
"""Bytes kept of the beginning of what each side sent."""


class Conversation:
    """Decides what a connection is, on evidence alone, and hands what is Kafka to `KafkaStreams`."""

    __slots__ = (
        "_budget",
        "_connection",
        "_contradicted",
        "_gaps",
        "_limits",
        "_lone_responses",
        "_options",
        "_searches",
        "_seen",
        "_starts",
        "_time",
        "evidence",
        "kafka",
        "protocol",
    )

    def __init__(self, connection: Connection, limits: CallLimits, options: CallOptions, budget: Budget) -> None:
        """Know nothing yet."""
        self._connection = connection
        self._limits = limits
        self._options = options
        self._budget = budget
        self._searches = (
            BoundarySearch(limits.search_bytes, budget),
            BoundarySearch(limits.search_bytes, budget),
        )
        self._lone_responses: dict[int, LoneResponses] = {}
        self._seen = 0
        self._starts = [b"", b""]
        self._gaps = Gaps()
        self._contradicted: list[tuple[int, int, int]] = []
        """Direction and stream positions, while it is not known what the connection is."""
        self._time = 0
        """When the packet came that is being taken, in ns since 1970."""
        self.kafka: KafkaStreams | None = None
        self.protocol: str | None = None
        """`kafka`, another protocol's name or `unknown`; None while undecided."""
        self.evidence = "no data was seen"

    def take(self, event: StreamData | StreamGap | StreamConflict) -> list[Call | Gap | RawToken]:
        """Take bytes or a gap; give the calls that ended and the gaps that stand in a Kafka connection."""
        if isinstance(event, StreamConflict):
            self._contradict(event.direction, event.ranges)
            return []
        if isinstance(event, StreamData) and event.contradicted:
            self._contradict(event.direction, event.contradicted)
        if not self._starts[event.direction] and isinstance(event, StreamData):
            self.note_start(event)
        if self.kafka is not None:
            return self._take_kafka(event)
        if self.protocol is not None:
            return []
        held = self._searches[event.direction].held
        if isinstance(event, StreamGap):
            held.push_gap(event)
            self._gaps.lose(event)
            return []
        self._gaps.follow(event.direction)
        self._seen += len(event.data)
        self._time = event.delivered_by.time
        held.push(event)
        self._decide()
        return self._replay() if self.kafka is not None else []

    @property
    def cutters_for_run(self) -> tuple[FrameCutter, FrameCutter] | None:
        """Give the cutters of both directions, where all that segments in order bring is frames; else None."""
        return None if self.kafka is None or self._gaps else self.kafka.orderly_cutters

    def has_start(self, direction: int) -> bool:
        """Tell whether the first bytes of a direction are kept."""
        return bool(self._starts[direction])

    def note_start(self, event: StreamData) -> None:
        """Keep the first bytes of a direction, if `event` has them."""
        self._starts[event.direction] = self._starts[event.direction] or event.data[:SHOWN_START]

    def end(self, arrival: Arrival) -> list[Call | Gap | RawToken]:
        """Give all that is left when the connection ends."""
        found: list[Call | Gap | RawToken] = []
        if self.protocol is None and self._seen:
            # Whatever the client sent, no request that proves itself can come any more.
            self._time = arrival.time
            for search in self._searches:
                search.held.ended = True
            self._decide()
            if self.protocol is None:
                self._decide_by_responses(self._clients(), at_end=True)
            found = self._replay() if self.kafka is not None else []
        if self.kafka is None:
            self._release()
            if self.protocol is None and self._seen:
                self.protocol = "unknown"
                self.evidence = "nothing in it proves a protocol"
            return []
        for direction, counters in enumerate(self._connection.counters):
            # Of a direction without any data nothing at all was captured.
            if counters.data_bytes:
                self._gaps.follow(direction)
        self.kafka.end(arrival)
        return [*found, *self._take_gaps(), *self.kafka.take_calls()]

    def tick(self, now: int) -> list[Call | Gap | RawToken]:
        """Give the calls that waited for too long at `now`, in ns since 1970."""
        if self.kafka is None:
            return []
        self.kafka.give_up_waiting(now)
        return list(self.kafka.take_calls())

    def report(self, arrival: Arrival) -> ConnectionReport:
        """Say what the connection was."""
        client = self._client()
        return ConnectionReport(
            self._connection,
            str(self._connection.endpoints[client]),
            str(self._connection.endpoints[1 - client]),
            self.protocol or "empty",
            self.evidence,
            self.kafka.call_count if self.kafka is not None else 0,
            arrival,
            self._starts[1 - client],
        )

    def _contradict(self, direction: int, ranges: tuple[tuple[int, int], ...]) -> None:
        """Note bytes that came with other contents too; `ranges` count from the next byte of the direction on."""
        kafka = self.kafka
        base = self._searches[direction].held.end if kafka is None else kafka.end_of(direction)
        if kafka is not None:
            kafka.contradict(direction, [(base + start, base + end) for start, end in ranges])
        elif self.protocol is None:
            room = max(HELD_CONTRADICTIONS - len(self._contradicted), 0)
            self._contradicted += [(direction, base + start, base + end) for start, end in ranges[:room]]

    def _client(self) -> int:
        """Give the client's direction; where nothing tells, the sender of the first packet is taken for it."""
        if self.kafka is not None:
            return self.kafka.client
        return self._connection.initiator or 0

    def _take_kafka(self, event: StreamData | StreamGap) -> list[Call | Gap | RawToken]:
        kafka = self.kafka
        assert kafka is not None
        if isinstance(event, StreamGap):
            self._gaps.lose(event)
            kafka.take(event.direction, event)
        else:
            kafka.take(event.direction, (event, 0))
            if self._gaps:
                self._gaps.follow(event.direction)
                return [*self._take_gaps(), *kafka.take_calls()]
        return list(kafka.take_calls())

    def _take_gaps(self) -> list[Gap]:
        return [self._gap(gap) for gap in self._gaps.take()]

    def _gap(self, gap: StreamGap) -> Gap:
        client = self._client()
        side: Side = "request" if gap.direction == client else "response"
        endpoints = self._connection.endpoints
        return Gap(self._connection, str(endpoints[client]), str(endpoints[1 - client]), side, gap.length, gap.arrival)

    def _decide(self) -> None:
        initiator = self._connection.initiator
        if initiator is not None and self._decide_by_first_bytes(initiator):
            return
        clients = self._clients()
        for client in clients:
            answers = response_ids(self._searches[1 - client].held)
            place = self._searches[client].find_request(partial(_score, answers, initiator is not None), again=True)
            if place is not None:
                self._accept(client, self._first_boundary(client, place), evidence_of(place, self._name(client)))
                return
        self._decide_by_responses(clients)
        if self.protocol is None:
            self._recognise()

    def _clients(self) -> tuple[int, ...]:
        """Give the directions that may be the client's."""
        initiator = self._connection.initiator
        return (0, 1) if initiator is None else (initiator,)

    def _first_boundary(self, client: int, place: int) -> int:
        """Give the first frame boundary of a client that is proven to speak Kafka at `place`.

        Where the connection's first byte was seen, that is a boundary, though there its bytes alone proved nothing.
        """
        held = self._searches[client].held
        start = read_prefix(held, 0) if self._connection.initiator is not None and not held.discarded else None
        if start is not None and (request_header(start) is not None or _is_damaged_size(start)):
            return 0
        return earlier_requests(held, place)

    def _decide_by_first_bytes(self, client: int) -> bool:
        """Judge the first bytes of a connection whose beginning is in the capture; True when that decides."""
        held = self._searches[client].held
        start = held.read(0, min(FIRST_BYTES, held.end))
        if not start:
            return False
        place = proxy_header_length(start)
        if place == 0:
            return True
        place = place or 0
        start = start[place:]
        size = int.from_bytes(start[:4], "big", signed=True)
        if is_kerberos_token(start[4:]) and 0 < size < 1 << 16:
            self._accept(client, place, "a Kerberos token as older clients send it", raw_sasl=True)
            return True
        prefix = read_prefix(held, place)
        if prefix is not None and request_header(prefix) is None and not held.discarded:
            known = recognise(start)
            if known is None and _is_damaged_size(start):
                # What follows may still prove that it is Kafka.
                return False
            self._reject(*(known or ("unknown", "its first bytes are no Kafka request")))
            return True
        return False

    def _decide_by_responses(self, clients: tuple[int, ...], at_end: bool = False) -> None:
        """Accept a connection of which only responses were captured, on what they alone can prove.

        Where there are bytes of the client too, they may still prove more, but for `at_end`.
        """
        for client in clients:
            held = self._searches[1 - client].held
            if not held.segment_starts or (self._searches[client].held.end and not at_end):
                continue
            if not at_end:
                begun = self._connection.initiator == client
                evidence = evidence_of_first_responses(held, begun, self._limits.search_bytes)
                if evidence is not None:
                    self._accept(client, 0, evidence)
                    return
            of_kafka = self._speaks_kafka(self._connection.endpoints[1 - client])
            lone = self._lone_responses.get(client) or self._lone_responses.setdefault(client, LoneResponses())
            first = lone.find(held, of_kafka, again=at_end)
            if first is not None:
                evidence = "responses whose sizes, correlation ids and bodies agree, though no request was captured"
                self._accept(client, None, evidence, response_place=earlier_responses(held, first))
                return

    def _speaks_kafka(self, server: Endpoint) -> bool:
        """Tell whether another connection had proven by now that a server speaks Kafka."""
        since = self._options.kafka_servers.get(server)
        # Runs are taken as a whole, so that what is known may lie in packets still to come.
        return since is not None and (since <= self._time or self._connection.ended_by == "capture-end")

    def _recognise(self) -> None:
        for direction in (0, 1):
            held = self._searches[direction].held
            start = held.read(0, min(FIRST_BYTES, held.end)) if held.end else None
            known = recognise(start) if start else None
            if known is not None:
                self._reject(*known)
                return
        if self._seen > self._limits.undecided_bytes:
            most = self._limits.undecided_bytes >> 20
            self._budget.reach(f"connection taken for no Kafka: nothing in its first {most} MiB proves it")
            self._reject("unknown", f"no Kafka in {self._seen} bytes")

    def _reject(self, protocol: str, evidence: str) -> None:
        """Take the connection for something else, and let go of its bytes."""
        self.protocol, self.evidence = protocol, evidence
        self._release()
        self._gaps = Gaps()

    def _release(self) -> None:
        for search in self._searches:
            search.held.clear()

    def _name(self, direction: int) -> str:
        return str(self._connection.endpoints[direction])

    def _accept(
        self,
        client: int,
        place: int | None,
        evidence: str,
        raw_sasl: bool = False,
        response_place: int | None = None,
    ) -> None:
        """Take the connection for Kafka, with a frame boundary of the client at stream position `place`, if known.

        `response_place` is one of the server's, where that is known; else its first byte is, if that was seen.
        """
        self.protocol, self.evidence = "kafka", evidence
        if self._gaps.left_out:
            self._budget.reach(f"gaps left out: more than {HELD_GAPS:,} came before the connection was known for Kafka")
        server = 1 - client
        note_server(self._options.kafka_servers, self._connection.endpoints[server], self._time)
        if self._connection.initiator is not None and not self._searches[server].held.discarded:
            response_place = 0
        starts = {client: place, server: response_place}
        self.kafka = KafkaStreams(
            self._connection, client, self._limits, self._options, (starts[0], starts[1]), self._budget, raw_sasl
        )

    def _replay(self) -> list[Call | Gap | RawToken]:
        """Hand over what was held, in the order in which it came."""
        kafka = self.kafka
        assert kafka is not None
        starts = kafka.starts
        held = [
            [(direction, item) for item in self._searches[direction].held.items_from(starts[direction] or 0)]
            for direction in (0, 1)
        ]
        for direction, search in enumerate(self._searches):
            kafka.let_go(direction, search.held.discarded)
        self._release()
        for direction, start, end in self._contradicted:
            kafka.contradict(direction, [(start, end)])
        self._contradicted = []
        for direction, item in merge(*held, key=_order):
            kafka.take(direction, item)
        return [*self._take_gaps(), *kafka.take_calls()]


def note_server(servers: dict[Endpoint, int], server: Endpoint, time: int) -> None:
    """Remember that a server was proven to speak Kafka at a time, in ns since 1970."""
    if server in servers or len(servers) < KAFKA_SERVERS:
        servers[server] = min(servers.get(server, time), time)


def evidence_of(place: int, client: str) -> str:
    """Say that a request at a stream position proves that a connection is Kafka."""
    return f"a request at byte {place} of what {client} sent, and more"


def _is_damaged_size(start: bytes) -> bool:
    """Tell whether bytes may begin with a size prefix that is none, rather than with the text of another protocol."""
    return not 0 <= int.from_bytes(start[:4], "big", signed=True) <= LARGEST_PLAUSIBLE and not start[:4].isascii()


def _score(answers: set[int], begun: bool, held: HeldStream, place: int) -> Score:
    score = score_request(held, place, answers.__contains__)
    if not begun and score.points >= PROOF and may_be_response(held, place):
        # It is not known who the client is.
        return score._replace(points=PROOF - 1)
    if begun and place == 0 and score.points > 0:
        # Its first byte is a boundary of whatever the connection speaks, and its first four are not any four.
        large = int.from_bytes(held.read(0, 4) or b"", "big") >= HARDLY_PLAUSIBLE
        return score._replace(points=score.points + 1 + large)
    return score


def _order(held: tuple[int, Item]) -> tuple[int, int]:
    item = held[1]
    arrival = item.arrival if isinstance(item, StreamGap) else item[0].delivered_by
    return arrival.time, arrival.packet
