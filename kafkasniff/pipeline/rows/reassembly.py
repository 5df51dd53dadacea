"""The second task: the packets of one bucket into calls, by the very engine that `read` has."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kafkasniff.calls.context import Context
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.enrichment.topics import TopicNames
from kafkasniff.calls.items import Item
from kafkasniff.calls.options import CallOptions
from kafkasniff.capture.packets import Interface
from kafkasniff.pipeline.indexes.indexing import Interfaces
from kafkasniff.pipeline.indexes.interfaces import PlacedInterface
from kafkasniff.tcp.tls.context import TlsCounters
from kafkasniff.tcp.tls.key_log import KeyLog


class Part(NamedTuple):
    """A file that was indexed, or a range of it."""

    path: str
    head: bytes
    vantage: str
    interfaces: Interfaces
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
    for name in TlsCounters.__slots__:
        setattr(total, name, getattr(total, name) + getattr(counters, name))
