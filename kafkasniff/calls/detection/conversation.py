# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""A connection from its first byte on: undecided, then Kafka or something else."""

from collections.abc import Sequence
from functools import partial
from heapq import merge
from typing import TYPE_CHECKING

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Side
from kafkasniff.calls.correlation.frames import SIZE_PREFIX
from kafkasniff.calls.detection.recognition import is_kerberos_token, proxy_header_length, recognise
from kafkasniff.calls.items import Item
from kafkasniff.calls.limits import Budget, CallLimits
from kafkasniff.calls.reports import ConnectionReport, Gap
from kafkasniff.calls.resync.boundaries import response_ids
from kafkasniff.calls.resync.evidence import (
    HARDLY_PLAUSIBLE,
    LARGEST_PLAUSIBLE,
    PROOF,
    Score,
    may_be_response,
    may_be_unknown_request,
    read_prefix,
    request_header,
    score_request,
)
from kafkasniff.calls.resync.gaps import HELD_GAPS, Gaps
from kafkasniff.calls.resync.held import HeldPiece, HeldStream
from kafkasniff.calls.streams import CallOptions, KafkaStreams
from kafkasniff.capture.packets import Arrival
from kafkasniff.protocol.bodies.scanning import scan_body
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.tcp.events import Connection, Endpoint, StreamConflict, StreamData, StreamGap

if TYPE_CHECKING:  # where the first bytes prove what a connection is, nothing is searched for
    from kafkasniff.calls.resync.lone_responses import LoneResponses
    from kafkasniff.calls.resync.search import BoundarySearch

if not cython.compiled:
    from kafkasniff.octets import part, signed32
    from kafkasniff.protocol.headers import read_request_header
    from kafkasniff.tcp.events import new_stream_data

FIRST_BYTES = 1100
"""Bytes from which a request header, with the longest client id, can be judged."""
HELD_CONTRADICTIONS = 1_024
KAFKA_SERVERS = 10_000
"""Servers that are remembered to speak Kafka."""
_REPLACEMENT = "\ufffd"
"""Stands for what is no UTF-8."""
_NO_FIELDS: frozenset[str] = frozenset()
_MOST_BODIES = 1024
_WHOLE_BODIES: set[bytes] = set()
"""API key, version and body of first requests that were found whole, none of over `FIRST_BYTES`."""
SHOWN_START = 8
"""Bytes kept of the beginning of what each side sent."""


class Conversation:
    """Decides what a connection is, on evidence alone, and hands what is Kafka to `KafkaStreams`."""

    __slots__ = (
        "_budget",
        "_connection",
        "_contradicted",
        "_evidence",
        "_has_gaps",
        "_limits",
        "_lone_responses",
        "_lost",
        "_options",
        "_searched",
        "_seen",
        "_start_0",
        "_start_1",
        "_time",
        "kafka",
        "protocol",
    )

    def __init__(self, connection: Connection, limits: CallLimits, options: CallOptions, budget: Budget) -> None:
        """Know nothing yet."""
        self._connection = connection
        self._limits = limits
        self._options = options
        self._budget = budget
        self._searched: tuple[BoundarySearch, BoundarySearch] | None = None
        self._lone_responses: dict[int, LoneResponses] | None = None
        self._seen = 0
        self._start_0 = self._start_1 = b""
        """The first bytes of both directions."""
        self._lost: Gaps | None = None
        """The gaps that were not told yet; None before the first."""
        self._has_gaps = False
        """Whether `_lost` may have any."""
        self._contradicted: list[tuple[int, int, int]] | None = None
        """Direction and stream positions, while it is not known what the connection is."""
        self._time = 0
        """When the packet came that is being taken, in ns since 1970."""
        self.kafka: KafkaStreams | None = None
        self.protocol: str | None = None
        """`kafka`, another protocol's name or `unknown`; None while undecided."""
        self._evidence = "no data was seen"
        """Why it is that; empty where its first bytes are a whole request."""

    def take(self, event: StreamData | StreamGap | StreamConflict) -> Sequence[Item]:
        """Take bytes or a gap; give the calls that ended and the gaps that stand in a Kafka connection."""
        if isinstance(event, StreamData):
            items: list[Item] = []
            self.take_data(event, items)
            return items
        if isinstance(event, StreamGap):
            return self._take_gap(event)
        if isinstance(event, StreamConflict):
            self._contradict(event.direction, event.ranges)
        return ()

    def take_segment(self, direction: int, data: bytes, missing: int, arrival: Arrival, items: list[Item]) -> None:
        """Take the payload of a segment that comes next, as `take_data` does; its last `missing` bytes lack."""
        kafka = self.kafka
        if kafka is None or self._has_gaps or not (self._start_1 if direction else self._start_0):
            self.take_data(new_stream_data(self._connection, direction, data, arrival, arrival, ()), items)
            if missing:
                items += self._take_gap(StreamGap(self._connection, direction, missing, arrival, True, True))
        else:
            kafka.take_bytes(direction, data, missing, arrival, None, items)

    def take_data(self, data: StreamData, items: list[Item]) -> None:
        """Take bytes; add what ended to `items`."""
        kafka = self.kafka
        if data.contradicted:
            self._contradict(data.direction, data.contradicted)
        if not (self._start_1 if data.direction else self._start_0):
            self.note_start(data)
        if kafka is None:
            items += self._take_undecided(data)
        elif self._has_gaps:
            calls: list[Item] = []
            kafka.take_bytes(data.direction, data.data, 0, data.arrival, data, calls)
            self._follow(data.direction)
            self._has_gaps = bool(self._lost)
            items += self._take_gaps()
            items += calls
        else:
            kafka.take_bytes(data.direction, data.data, 0, data.arrival, data, items)

    @property
    def _searches(self) -> "tuple[BoundarySearch, BoundarySearch]":
        """Give what searches both directions for proof; most connections prove what they are with their first bytes."""
        if self._searched is None:
            from kafkasniff.calls.resync.search import BoundarySearch

            limit, budget = self._limits.search_bytes, self._budget
            self._searched = BoundarySearch(limit, budget), BoundarySearch(limit, budget)
        return self._searched

    def _take_gap(self, gap: StreamGap) -> Sequence[Item]:
        kafka = self.kafka
        if kafka is not None:
            self._lose(gap)
            kafka.take(gap.direction, gap)
            return kafka.take_calls()
        if self.protocol is None:
            self._searches[gap.direction].held.push_gap(gap)
            self._lose(gap)
        return ()

    def _lose(self, gap: StreamGap) -> None:
        if gap.cut:
            # It is none to be told, as its packet is there.
            self._follow(gap.direction)
            return
        if self._lost is None:
            self._lost = Gaps()
        self._lost.lose(gap)
        self._has_gaps = True

    def _follow(self, direction: int) -> None:
        """Note that bytes of a direction came, before which others may lack."""
        if self._lost is not None:
            self._lost.follow(direction)

    def _take_undecided(self, event: StreamData) -> Sequence[Item]:
        if self.protocol is not None:
            return ()
        if not self._seen and self._proves_kafka(event):
            self._time = event.delivered_by.time
            self._accept(event.direction, 0, "")
            assert self.kafka is not None
            calls: list[Item] = []
            self.kafka.take_bytes(event.direction, event.data, 0, event.arrival, event, calls)
            return calls
        self._follow(event.direction)
        self._seen += len(event.data)
        self._time = event.delivered_by.time
        self._searches[event.direction].held.push(event)
        self._decide()
        return self._replay() if self.kafka is not None else ()

    def note_start(self, event: StreamData) -> None:
        """Keep the first bytes of a direction, if `event` has them."""
        data = event.data
        if not (self._start_1 if event.direction else self._start_0):
            start = part(data, 0, min(len(data), SHOWN_START))
            if event.direction:
                self._start_1 = start
            else:
                self._start_0 = start

    def end(self, arrival: Arrival, until: int = 0) -> list[Item]:
        """Give all that is left when the connection ends, or the capture at `until`, in ns since 1970."""
        found: list[Item] = []
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
                self._evidence = "nothing in it proves a protocol"
            return []
        if self._lost is not None:
            for direction, counters in enumerate(self._connection.counters):
                # Of a direction without any data nothing at all was captured.
                if counters.data_bytes:
                    self._lost.follow(direction)
        self.kafka.end(arrival, max(arrival.time, until))
        return [*found, *self._take_gaps(), *self.kafka.take_calls()]

    def tick(self, now: int) -> list[Item]:
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
            self._evidence or evidence_of(0, self._name(client)),
            self.kafka.call_count if self.kafka is not None else 0,
            arrival,
            self._start_0 if client else self._start_1,
        )

    def _contradict(self, direction: int, ranges: tuple[tuple[int, int], ...]) -> None:
        """Note bytes that came with other contents too; `ranges` count from the next byte of the direction on."""
        kafka = self.kafka
        base = self._searches[direction].held.end if kafka is None else kafka.end_of(direction)
        if kafka is not None:
            kafka.contradict(direction, [(base + start, base + end) for start, end in ranges])
        elif self.protocol is None:
            known = self._contradicted or []
            room = max(HELD_CONTRADICTIONS - len(known), 0)
            self._contradicted = known + [(direction, base + start, base + end) for start, end in ranges[:room]]

    def _client(self) -> int:
        """Give the client's direction; where nothing tells, the sender of the first packet is taken for it."""
        if self.kafka is not None:
            return self.kafka.client
        return self._connection.initiator or 0

    def _take_gaps(self) -> list[Gap]:
        return [] if self._lost is None else [self._gap(gap) for gap in self._lost.take()]

    def _gap(self, gap: StreamGap) -> Gap:
        client = self._client()
        side: Side = "request" if gap.direction == client else "response"
        endpoints = self._connection.endpoints
        ends = str(endpoints[client]), str(endpoints[1 - client])
        return Gap(self._connection, *ends, side, gap.length, gap.arrival, gap.acknowledged)

    def _proves_kafka(self, event: StreamData) -> bool:
        """Tell whether a connection's first data are one whole request of the client, as they mostly are.

        What `_decide` would weigh is then enough for certain: the first byte of a connection whose opening was seen, a
        client id in plain text, and a body that decodes to the segment's last byte.
        """
        data = event.data
        if self._connection.initiator != event.direction or self._searched is not None or self._contradicted:
            return False
        if not SIZE_PREFIX < len(data) <= FIRST_BYTES or signed32(data, 0) != len(data) - SIZE_PREFIX:
            return False
        try:
            header = read_request_header(data, SIZE_PREFIX)
        except ProtocolError:
            return False
        client_id = header.client_id
        if not client_id or not client_id.isprintable() or (not client_id.isascii() and _REPLACEMENT in client_id):
            return False
        # Clients of one kind begin all their connections with the same body.
        body = part(data, SIZE_PREFIX, 2 * SIZE_PREFIX) + part(data, header.end, len(data))
        if body in _WHOLE_BODIES:
            return True
        if scan_body(header.api_key, header.api_version, "request", data, header.end, _NO_FIELDS) is None:
            return False
        if len(_WHOLE_BODIES) < _MOST_BODIES:
            _WHOLE_BODIES.add(body)
        return True

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
        if start is not None and (
            request_header(start) is not None or _is_damaged_size(start) or may_be_unknown_request(start, ())
        ):
            return 0
        from kafkasniff.calls.resync.lookback import earlier_requests

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
            if known is None and (_is_damaged_size(start) or may_be_unknown_request(prefix, ())):
                # What follows may still prove that it is Kafka.
                return False
            self._reject(*(known or ("unknown", "its first bytes are no Kafka request")))
            return True
        return False

    def _decide_by_responses(self, clients: tuple[int, ...], at_end: bool = False) -> None:
        """Accept a connection of which only responses were captured, on what they alone can prove.

        Where there are bytes of the client too, they may still prove more, but for `at_end`, or where the snap length
        left nothing of them that could.
        """
        from kafkasniff.calls.detection.first_responses import begins_with_cut_requests, evidence_of_first_responses
        from kafkasniff.calls.resync.lone_responses import LoneResponses
        from kafkasniff.calls.resync.lookback import earlier_responses

        for client in clients:
            held = self._searches[1 - client].held
            cut = begins_with_cut_requests(self._searches[client].held)
            if not held.segment_starts or not (cut or at_end or not self._searches[client].held.end):
                continue
            if cut or not at_end:
                begun = self._connection.initiator == client
                evidence = evidence_of_first_responses(held, begun, self._limits.search_bytes)
                if evidence is not None:
                    self._accept(client, 0, evidence)
                    return
            of_kafka = self._speaks_kafka(self._connection.endpoints[1 - client])
            self._lone_responses = self._lone_responses or {}
            lone = self._lone_responses.setdefault(client, LoneResponses())
            first = lone.find(held, of_kafka, again=at_end)
            if first is not None:
                evidence = "responses whose sizes, ids and bodies agree, though no request was captured whole"
                self._accept(client, None, evidence, response_place=earlier_responses(held, first))
                return

    def _speaks_kafka(self, server: Endpoint) -> bool:
        """Tell whether another connection had proven by now that a server speaks Kafka."""
        since = self._options.kafka_servers.get(server)
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
        self.protocol, self._evidence = protocol, evidence
        self._release()
        self._lost, self._has_gaps = None, False

    def _release(self) -> None:
        for search in self._searched or ():
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
        self.protocol, self._evidence = "kafka", evidence
        if self._lost is not None and self._lost.left_out:
            self._budget.reach(f"gaps left out: more than {HELD_GAPS:,} came before the connection was known for Kafka")
        server = 1 - client
        note_server(self._options.kafka_servers, self._connection.endpoints[server], self._time)
        if self._connection.initiator is not None and not (self._searched and self._searched[server].held.discarded):
            response_place = 0
        starts = (response_place, place) if client else (place, response_place)
        self.kafka = KafkaStreams(self._connection, client, self._limits, self._options, starts, self._budget, raw_sasl)

    def _replay(self) -> list[Item]:
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
        for direction, start, end in self._contradicted or ():
            kafka.contradict(direction, [(start, end)])
        self._contradicted = None
        for direction, item in merge(*held, key=_order):
            kafka.take(direction, item)
        return [*self._take_gaps(), *kafka.take_calls()]


def note_server(servers: dict[Endpoint, int], server: Endpoint, time: int) -> None:
    """Remember that a server was proven to speak Kafka at a time, in ns since 1970."""
    since = servers.get(server)
    if (since is None and len(servers) < KAFKA_SERVERS) or (since is not None and time < since):
        servers[server] = time


def evidence_of(place: int, client: str) -> str:
    """Say that a request at a stream position proves that a connection is Kafka."""
    return f"a request at byte {place} of what {client} sent, and more"


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


def _order(held: tuple[int, HeldPiece]) -> tuple[int, int]:
    item = held[1]
    arrival = item.arrival if isinstance(item, StreamGap) else item[0].delivered_by
    return arrival.time, arrival.packet
