# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""A connection from its first byte on: undecided, then Kafka or something else."""

from collections.abc import Sequence
from heapq import merge
from typing import TYPE_CHECKING

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Side
from kafkasniff.calls.correlation.frames import SIZE_PREFIX
from kafkasniff.calls.detection.recognition import FIRST_BYTES, evidence_of
from kafkasniff.calls.items import Item
from kafkasniff.calls.limits import Budget, CallLimits
from kafkasniff.calls.options import CallOptions
from kafkasniff.calls.reports import ConnectionReport, Gap
from kafkasniff.calls.resync.gaps import HELD_GAPS, Gaps
from kafkasniff.calls.resync.held import HeldPiece
from kafkasniff.calls.streams import KafkaStreams
from kafkasniff.capture.packets import Arrival
from kafkasniff.protocol.bodies.scanning import scan_body
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.tcp.events import Connection, Endpoint, StreamConflict, StreamData, StreamGap

if TYPE_CHECKING:  # where the first bytes prove what a connection is, nothing is searched for
    from kafkasniff.calls.detection.undecided import Undecided, Verdict

if not cython.compiled:
    from kafkasniff.octets import part, signed32
    from kafkasniff.protocol.headers import read_request_header
    from kafkasniff.tcp.events import new_stream_data

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
        "_lost",
        "_options",
        "_start_0",
        "_start_1",
        "_time",
        "_undecided",
        "kafka",
        "protocol",
    )

    def __init__(self, connection: Connection, limits: CallLimits, options: CallOptions, budget: Budget) -> None:
        """Know nothing yet."""
        self._connection = connection
        self._limits = limits
        self._options = options
        self._budget = budget
        self._undecided: Undecided | None = None
        """What holds it while it is not decided; None where its first bytes decide, as they mostly do."""
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

    def _take_gap(self, gap: StreamGap) -> Sequence[Item]:
        kafka = self.kafka
        if kafka is not None:
            self._lose(gap)
            kafka.take(gap.direction, gap)
            return kafka.correlator.take_calls()
        if self.protocol is None:
            self._hold().push_gap(gap)
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
        undecided = self._undecided
        if (undecided is None or not undecided.seen) and self._proves_kafka(event):
            self._time = event.delivered_by.time
            self._accept(event.direction, 0, "")
            assert self.kafka is not None
            calls: list[Item] = []
            self.kafka.take_bytes(event.direction, event.data, 0, event.arrival, event, calls)
            return calls
        self._follow(event.direction)
        self._time = event.delivered_by.time
        undecided = self._hold()
        undecided.push(event)
        self._take_verdict(undecided.decide(self._time))
        return self._replay() if self.kafka is not None else ()

    def _hold(self) -> "Undecided":
        """Give what holds the connection while it is not decided."""
        if self._undecided is None:
            from kafkasniff.calls.detection.undecided import Undecided

            self._undecided = Undecided(self._connection, self._limits, self._options.kafka_servers, self._budget)
        return self._undecided

    def _release(self) -> None:
        """Let go of what was held while it was not decided."""
        if self._undecided is not None:
            self._undecided.release()
            self._undecided = None

    def _take_verdict(self, verdict: "Verdict | None") -> None:
        """Take the connection for what it is found to be."""
        if verdict is None:
            return
        if verdict.protocol == "kafka":
            self._accept(verdict.client, verdict.place, verdict.evidence, verdict.raw_sasl, verdict.response_place)
        else:
            self._reject(verdict.protocol, verdict.evidence)

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
        undecided = self._undecided
        if self.protocol is None and undecided is not None and undecided.seen:
            self._time = arrival.time
            self._take_verdict(undecided.decide_at_end(self._time))
            found = self._replay() if self.kafka is not None else []
        if self.kafka is None:
            self._release()
            return []
        if self._lost is not None:
            for direction, counters in enumerate(self._connection.counters):
                # Of a direction without any data nothing at all was captured.
                if counters.data_bytes:
                    self._lost.follow(direction)
        self.kafka.end(arrival, max(arrival.time, until))
        return [*found, *self._take_gaps(), *self.kafka.correlator.take_calls()]

    def tick(self, now: int) -> list[Item]:
        """Give the calls that waited for too long at `now`, in ns since 1970."""
        if self.kafka is None:
            return []
        self.kafka.correlator.give_up_waiting(now)
        return list(self.kafka.correlator.take_calls())

    def report(self, arrival: Arrival) -> ConnectionReport:
        """Say what the connection was."""
        client = self._client()
        return ConnectionReport(
            self._connection,
            str(self._connection.endpoints[client]),
            str(self._connection.endpoints[1 - client]),
            self.protocol or "empty",
            self._evidence or evidence_of(0, self._connection.endpoints[client]),
            self.kafka.correlator.call_count if self.kafka is not None else 0,
            arrival,
            self._start_0 if client else self._start_1,
        )

    def _contradict(self, direction: int, ranges: tuple[tuple[int, int], ...]) -> None:
        """Note bytes that came with other contents too; `ranges` count from the next byte of the direction on."""
        kafka = self.kafka
        if kafka is not None:
            base = kafka.end_of(direction)
            kafka.correlator.contradict(direction, [(base + start, base + end) for start, end in ranges])
        elif self.protocol is None:
            base = self._hold().held(direction).end
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
        if self._connection.initiator != event.direction or self._undecided is not None or self._contradicted:
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

    def _reject(self, protocol: str, evidence: str) -> None:
        """Take the connection for something else, and let go of its bytes."""
        self.protocol, self._evidence = protocol, evidence
        self._release()
        self._lost, self._has_gaps = None, False

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
        undecided = self._undecided
        if self._connection.initiator is not None and not (undecided and undecided.held(server).discarded):
            response_place = 0
        starts = (response_place, place) if client else (place, response_place)
        self.kafka = KafkaStreams(self._connection, client, self._limits, self._options, starts, self._budget, raw_sasl)

    def _replay(self) -> list[Item]:
        """Hand over what was held, in the order in which it came."""
        kafka, undecided = self.kafka, self._undecided
        assert kafka is not None
        assert undecided is not None
        held = [undecided.held(direction).items_from(kafka.starts[direction] or 0) for direction in (0, 1)]
        for direction in (0, 1):
            kafka.correlator.let_go(direction, undecided.held(direction).discarded)
        self._release()
        for direction, start, end in self._contradicted or ():
            kafka.correlator.contradict(direction, [(start, end)])
        self._contradicted = None
        pairs = ([(direction, item) for item in items] for direction, items in enumerate(held))
        for direction, item in merge(*pairs, key=_order):
            kafka.take(direction, item)
        return [*self._take_gaps(), *kafka.correlator.take_calls()]


def note_server(servers: dict[Endpoint, int], server: Endpoint, time: int) -> None:
    """Remember that a server was proven to speak Kafka at a time, in ns since 1970."""
    since = servers.get(server)
    if (since is None and len(servers) < KAFKA_SERVERS) or (since is not None and time < since):
        servers[server] = time


def _order(held: tuple[int, HeldPiece]) -> tuple[int, int]:
    item = held[1]
    arrival = item.arrival if isinstance(item, StreamGap) else item[0].delivered_by
    return arrival.time, arrival.packet
