"""The second task: the packets of one bucket into calls, by the very engine that `read` has."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple

import pyarrow as pa

from kafkasniff.calls.context import Context
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.enrichment.topics import TopicNames
from kafkasniff.calls.items import Item
from kafkasniff.calls.streams import CallOptions
from kafkasniff.capture.packets import Interface
from kafkasniff.pipeline.interfaces import PlacedInterface
from kafkasniff.pipeline.mentions import items_mention_ids
from kafkasniff.pipeline.merging import Merger, PacketFiles
from kafkasniff.pipeline.pieces import pieces_of
from kafkasniff.tcp.tls.context import TlsCounters
from kafkasniff.tcp.tls.key_log import KeyLog


class Part(NamedTuple):
    """A file that was indexed, or a range of it."""

    path: str
    head: bytes
    vantage: str
    interfaces: list[tuple[int, int, int, str]]
    """Link type, time digits, snap length and name of each."""
    packets_before: int
    """Packets of the file before it."""


@dataclass(frozen=True, slots=True)
class Known:
    """What all buckets know before they begin."""

    parts: Sequence[Part]
    key_log: bytes = b""
    topics: dict[str, str] = field(default_factory=dict)
    """Names by topic id."""
    tls_sessions: dict[bytes, bytes] = field(default_factory=dict)
    """Master secrets of TLS 1.2 sessions by id or ticket: another connection may resume them."""
    records: bool = False
    learned: bool = True
    """Whether `topics` and `tls_sessions` have what all buckets tell; False where nothing seems to need it."""
    ends: dict[str, int] = field(default_factory=dict)
    """When the last packet of each vantage was captured, in ns since 1970."""


class Ended(NamedTuple):
    """What ended with a batch of packets."""

    vantage: str
    items: list[Item]
    """In packet order."""
    at_end: bool
    """Whether the capture's end ended it."""


class Reassembly:
    """Runs over the rows of one bucket, one engine after the other for each capture in it."""

    def __init__(self, known: Known) -> None:
        """Begin with nothing read."""
        self._known = known
        self._files = PacketFiles([each.path for each in known.parts], [each.head for each in known.parts])
        self._interfaces: dict[int, list[Interface]] = {}
        self.topics = TopicNames()
        """Filled with what the calls tell."""
        for topic_id, name in known.topics.items():
            self.topics.add(topic_id, name)
        self.mentions_ids = False
        """Whether a call may mention topics by id."""
        self.tls_sessions: dict[bytes, bytes] = {}
        """Filled with those of the connections."""
        self.notes: list[str] = []
        """What could not be read and which limits were reached, in sentences."""
        self.tls_counters = TlsCounters()

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Ended]:
        """Give what ends with each batch of packets.

        Takes batches in `pieces.SCHEMA`, sorted by `pieces.ORDER`. Raises PipelineError where a file changed.
        """
        open_captures: dict[str, tuple[Merger, Engine]] = {}
        last_ring: int | None = None
        for ring, found in pieces_of(batches):
            if ring != last_ring:
                yield from self._end(open_captures)
                last_ring = ring
            part = self._known.parts[found.part]
            piece = found._replace(numbers=found.numbers + part.packets_before)
            vantage = part.vantage
            capture = open_captures.get(vantage)
            if capture is None:
                capture = open_captures[vantage] = (
                    Merger(self._files, self._interfaces_of),
                    new_engine(self._known, self.topics),
                )
            merger, engine = capture
            batch = merger.add(piece)
            if batch is not None:
                yield self._ended(vantage, engine.feed(batch), False)
        yield from self._end(open_captures)
        self._files.close()

    def _end(self, captures: dict[str, tuple[Merger, Engine]]) -> Iterator[Ended]:
        for vantage, (merger, engine) in captures.items():
            batch = merger.flush()
            if batch is not None:
                yield self._ended(vantage, engine.feed(batch), False)
            yield self._ended(vantage, [*engine.flush(self._known.ends.get(vantage, 0))], True)
            self.notes += engine.notes()
            self.tls_sessions |= engine.tls.sessions()
            add_up(self.tls_counters, engine.tls.counters)
        captures.clear()

    def _interfaces_of(self, part: int) -> list[Interface]:
        found = self._interfaces.get(part)
        if found is None:
            found = self._interfaces[part] = placed_interfaces(self._known.parts[part], part)
        return found

    def _ended(self, vantage: str, items: list[Item], at_end: bool) -> Ended:
        self.mentions_ids = self.mentions_ids or items_mention_ids(items)
        return Ended(vantage, items, at_end)


def new_engine(known: Known, topics: TopicNames) -> Engine:
    """Give an engine that knows what is known, and learns names into `topics`."""
    key_log = KeyLog()
    key_log.add(known.key_log)
    context = Context(records=known.records, topics=topics, metrics=False)
    engine = Engine(options=CallOptions(context=context), report_connections=True, key_log=key_log)
    for name, master in known.tls_sessions.items():
        engine.tls.remember_session(name, master)
    return engine


def placed_interfaces(part: Part, number: int) -> list[Interface]:
    """Give the interfaces of a part, which has `number` in the run."""
    return [PlacedInterface(part.path, *each, number, index) for index, each in enumerate(part.interfaces)]


def add_up(total: TlsCounters, counters: TlsCounters) -> None:
    """Add counters to others."""
    for each in fields(TlsCounters):
        setattr(total, each.name, getattr(total, each.name) + getattr(counters, each.name))
