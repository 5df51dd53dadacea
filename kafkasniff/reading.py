"""Reads captures from files or standard input into calls: what `kafkasniff read` and Python programs use."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from os.path import getsize
from typing import TYPE_CHECKING, Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.context import Context
from kafkasniff.calls.engine import Counts, Engine
from kafkasniff.calls.items import Item, taken_out
from kafkasniff.calls.limits import CallLimits
from kafkasniff.calls.spending import Spending
from kafkasniff.calls.streams import CallOptions
from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.merge import merge
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.files.windows import DecompressionBudget
from kafkasniff.protocol.limits import MessageLimits
from kafkasniff.protocol.records.compression import DEFAULT_LIMIT
from kafkasniff.secrets import SecretSources
from kafkasniff.tcp.events import Connection
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.tls.context import TlsLimits

if TYPE_CHECKING:  # who reads lines should not wait for it
    from kafkasniff.tables.block import CallBlock


@dataclass(slots=True)
class Summary:
    """What a capture was worth; complete after the last item."""

    packets: int = 0
    cut_packets: int = 0
    first_time: int | None = None
    """Nanoseconds since 1970-01-01 UTC of the first packet."""
    last_time: int | None = None
    counts: Counts = field(default_factory=Counts)
    damages: list[CaptureError] = field(default_factory=list)
    """Files that could not be read to their end; all packets before the damage were used."""
    notes: list[str] = field(default_factory=list)
    """Packets that could not be read and limits that were reached, in sentences."""
    dropped_packets: int = 0
    """Live: packets that the kernel dropped, as they came faster than they were read."""
    largest_lag_ns: int = 0
    """Live: how long after its arrival a packet was dealt with at most."""
    not_decrypted: list[str] = field(default_factory=list)
    """What the key log did not open, in sentences."""


class Reading:
    """An iterable of the calls and gaps of one or several captures, in packet order.

    Several files are one capture: merged by packet time, connections carry over from file to file.
    """

    def __init__(
        self,
        paths: Sequence[str],
        *,
        show_secrets: bool = False,
        connections: bool = False,
        keep_packets: bool = False,
        keep_secrets: bool = False,
        records: bool = False,
        limit_value: int | None = None,
        records_limit: int = DEFAULT_LIMIT,
        two_pass: bool = False,
        fetch_sessions: bool = True,
        metrics: bool = True,
        tcp_limits: TcpLimits | None = None,
        call_limits: CallLimits | None = None,
        tls_limits: TlsLimits | None = None,
        message_limits: MessageLimits | None = None,
        key_log: str | None = None,
        max_ratio: int | None = None,
    ) -> None:
        """Open the captures; raises CaptureError where none of them is one, and for a key log that is none.

        `-` is standard input. `show_secrets` leaves passwords and tokens as they are; `connections` adds a report of
        each connection when it ends; `keep_packets` notes on each frame which packets carried it,
        and `keep_secrets` on each connection what opens its TLS.
        `records` reads the records in batches, of keys and values the first `limit_value` bytes; those of a message
        may take `records_limit` bytes, decompressed, those of all messages half as much beside what their size allows.
        `two_pass` reads the captures, which must be files, once before, so that topic ids have names from the first
        call on.
        `fetch_sessions` tells of incremental Fetch calls what their session covers. `metrics` opens the metrics that
        clients push.
        `key_log` is a file with the secrets of TLS connections, beside those in the captures. Of a compressed capture
        up to `max_ratio` times its bytes are read.
        """
        self._budget = DecompressionBudget(max_ratio)
        self.summary = Summary()
        self._unreadable: list[CaptureError] = []
        self._readers = self._open(paths)
        self._size = _size_of(self._readers)
        self._secrets = SecretSources(self._readers, key_log)
        context = Context(
            records=records,
            limit_value=limit_value,
            records_limit=records_limit,
            limits=message_limits or MessageLimits(),
            metrics=metrics,
            spending=Spending(records_limit),
        )
        self._first_pass: Engine | None = None
        if two_pass:
            self._first_readers = [CaptureReader(reader.file, budget=self._budget) for reader in self._readers]
            self._first_secrets = SecretSources(self._first_readers, key_log)
            options = CallOptions(context=context)
            key_log_before = self._first_secrets.key_log
            self._first_pass = Engine(tcp_limits, call_limits, options, False, key_log_before, tls_limits)
        self._engine = Engine(
            tcp_limits,
            call_limits,
            CallOptions(show_secrets, keep_packets, context, fetch_sessions),
            connections,
            self._secrets.key_log,
            tls_limits,
        )
        if keep_secrets:
            self._engine.tls.copy_secrets = _keep_secrets
        self.summary.counts = self._engine.counts

    def __iter__(self) -> Iterator[Item]:
        """Give calls, gaps, raw SASL tokens and reports as they end."""
        for items in self.batches():
            yield from taken_out(items)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the calls as an Arrow stream: the columns of the table `calls` that no body is read for."""
        from kafkasniff.tables.block import stream_calls

        return stream_calls(item for item in self if isinstance(item, Call))

    def blocks(self) -> "Iterator[CallBlock]":
        """Give the calls as rows of blocks."""
        from kafkasniff.tables.block import blocks_of

        return blocks_of(item for item in self if isinstance(item, Call))

    def batches(self) -> Iterator[list[Item]]:
        """Give the same in lists, one for each batch of packets, so that output can be flushed between them."""
        self._learn_names()
        summary = self.summary
        for batch in merge(self._readers):
            if len(batch):
                if summary.first_time is None:
                    summary.first_time = batch.times[0]
                summary.last_time = batch.times[-1]
            self._secrets.refresh()
            yield self._engine.feed(batch)
            self._summarise()
        yield [*self.finish()]

    def bytes_read(self) -> tuple[int, int | None]:
        """Give how many bytes of the captures were read so far, and how many they have, if that is known."""
        return sum(reader.bytes_read for reader in self._readers), self._size

    def finish(self) -> list[Item]:
        """Give what is left when nothing more is read: calls that wait for their answers, as they stand.

        `batches` ends with it; whoever stops before calls it instead.
        """
        self._secrets.refresh()
        items = self._engine.flush()
        self._summarise()
        self.summary.notes += [note for reader in self._readers for note in reader.notes]
        self.summary.not_decrypted = self._engine.tls.notes()
        damages = [reader.damage for reader in self._readers if reader.damage is not None]
        self.summary.damages = [*self._unreadable, *damages]
        return items

    def _open(self, paths: Sequence[str]) -> list[CaptureReader]:
        """Open those that are captures, and note why the others are none; raises CaptureError when all are none."""
        readers = []
        for path in paths:
            try:
                readers.append(CaptureReader(path, budget=self._budget))
            except CaptureError as error:
                self._unreadable.append(error)
        if not readers:
            raise CaptureError("; ".join(map(str, self._unreadable)))
        return readers

    def _learn_names(self) -> None:
        engine, self._first_pass = self._first_pass, None
        if engine is not None:
            for batch in merge(self._first_readers):
                self._first_secrets.refresh()
                engine.feed(batch)
            self._first_secrets.refresh()
            engine.flush()

    def _summarise(self) -> None:
        counters = self._engine.reassembler.counters
        self.summary.packets = counters.packets
        self.summary.cut_packets = counters.cut_packets
        self.summary.notes = self._engine.notes()


def _size_of(readers: Sequence[CaptureReader]) -> int | None:
    try:
        return sum(getsize(reader.file) for reader in readers)
    except OSError:  # standard input
        return None


def _keep_secrets(connection: Connection, lines: bytes) -> None:
    connection.tls_secrets = lines


def read(paths: str | Sequence[str], **options: Any) -> Reading:
    """Read a capture, or several as one; see `Reading` for the options."""
    return Reading([paths] if isinstance(paths, str) else paths, **options)
