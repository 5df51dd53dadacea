"""Reads captures from files or standard input into calls: what `kafkasniff read` and Python programs use."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import chain
from os import PathLike, fspath
from os.path import getsize
from typing import TYPE_CHECKING, Self

from kafkasniff.calls.call import Call
from kafkasniff.calls.context import Context
from kafkasniff.calls.counts import Counts
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.items import Item, taken_out
from kafkasniff.calls.limits import CallLimits
from kafkasniff.calls.options import CallOptions
from kafkasniff.calls.spending import Spending
from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.merge import merge
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.files.windows import DecompressionBudget
from kafkasniff.capture.packets import PacketBatch, datetime_of
from kafkasniff.fields import Fields
from kafkasniff.protocol.limits import RECORDS_LIMIT, MessageLimits
from kafkasniff.secrets import SecretSources
from kafkasniff.tcp.events import Connection
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.tls.context import TlsLimits

if TYPE_CHECKING:  # who reads lines should not wait for it
    import pandas
    import polars
    import pyarrow

    from kafkasniff.filters.filter import Filter
    from kafkasniff.tables.blocks.block import Block

CapturePath = str | PathLike[str]


class Summary(Fields):
    """What a capture was worth; complete after the last item."""

    __slots__ = (
        "counts",
        "cut_packets",
        "damages",
        "dropped_packets",
        "first_time",
        "largest_lag_ns",
        "last_time",
        "matched",
        "not_decrypted",
        "notes",
        "packets",
        "values_seen",
    )

    def __init__(self, counts: Counts | None = None) -> None:
        """Begin with nothing; `counts` is what the engine counts in."""
        self.packets = 0
        self.cut_packets = 0
        self.first_time: int | None = None
        """Nanoseconds since 1970-01-01 UTC of the first packet."""
        self.last_time: int | None = None
        """Of the last packet."""
        self.counts = counts or Counts()
        self.damages: list[CaptureError] = []
        """Files that could not be read to their end; all packets before the damage were used."""
        self.notes: list[str] = []
        """Packets that could not be read and limits that were reached, in sentences."""
        self.dropped_packets = 0
        """Live: packets that the kernel dropped, as they came faster than they were read."""
        self.largest_lag_ns = 0
        """Live: how long after its arrival a packet was dealt with at most."""
        self.not_decrypted: list[str] = []
        """What the key log did not open, in sentences."""
        self.matched: int | None = None
        """Calls that a filter let through; None where there is none."""
        self.values_seen = ""
        """What there was of the fields of which no value passed the filter: `; topics seen: orders, payments`."""

    @property
    def first_datetime(self) -> datetime | None:
        """Give when the first packet came, to the microsecond, in UTC."""
        return None if self.first_time is None else datetime_of(self.first_time)

    @property
    def last_datetime(self) -> datetime | None:
        """Give when the last packet came."""
        return None if self.last_time is None else datetime_of(self.last_time)


class Reading:
    """An iterable of the calls and gaps of one or several captures, in packet order.

    Several files are one capture: merged by packet time, connections carry over from file to file. Each iteration
    reads the captures anew. As a context manager it closes them at the end.
    """

    def __init__(
        self,
        paths: CapturePath | Sequence[CapturePath],
        *,
        show_secrets: bool = False,
        connections: bool = False,
        keep_packets: bool = False,
        keep_secrets: bool = False,
        records: bool = False,
        limit_value: int | None = None,
        records_limit: int = RECORDS_LIMIT,
        two_pass: bool = False,
        fetch_sessions: bool = True,
        metrics: bool = True,
        tcp_limits: TcpLimits | None = None,
        call_limits: CallLimits | None = None,
        tls_limits: TlsLimits | None = None,
        message_limits: MessageLimits | None = None,
        key_log: CapturePath | None = None,
        max_ratio: int | None = None,
        where: "str | Filter | None" = None,
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
        up to `max_ratio` times its bytes are read. `where` is an expression (docs/filters.md): only what it holds for
        is given, but for `batches`, which give all. Raises FilterError for one that is none.
        """
        self._where: Filter | None = None
        if where is not None:
            from kafkasniff.filters.filter import as_filter

            self._where = as_filter(where)
        given = [paths] if isinstance(paths, (str, PathLike)) else paths
        self.paths = [fspath(path) for path in given]
        keys = None if key_log is None else fspath(key_log)

        def begin() -> _Pass:
            budget = DecompressionBudget(max_ratio)
            readers, unreadable = _open(self.paths, budget)
            secrets = SecretSources(readers, keys)
            context = Context(
                records=records,
                limit_value=limit_value,
                records_limit=records_limit,
                limits=message_limits or MessageLimits(),
                metrics=metrics,
                spending=Spending(records_limit),
            )
            before = None
            if two_pass:
                first_readers = [CaptureReader(reader.file, budget=budget) for reader in readers]
                first_secrets = SecretSources(first_readers, keys)
                options = CallOptions(context=context)
                engine = Engine(tcp_limits, call_limits, options, False, first_secrets.key_log, tls_limits)
                before = _Pass(first_readers, [], first_secrets, engine)
            options = CallOptions(show_secrets, keep_packets, context, fetch_sessions)
            engine = Engine(tcp_limits, call_limits, options, connections, secrets.key_log, tls_limits)
            if keep_secrets:
                engine.tls.copy_secrets = _keep_secrets
            return _Pass(readers, unreadable, secrets, engine, before)

        self._begin = begin
        self._pass = begin()
        self._begun = False
        self.watch: Callable[[PacketBatch], None] | None = None
        """Sees the packets before they are read, where it is set before an iteration begins."""

    def __repr__(self) -> str:
        """Give the paths."""
        return f"Reading({self.paths!r})"

    def __enter__(self) -> Self:
        """Give this reading."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the captures."""
        self.close()

    def close(self) -> None:
        """Close the captures; an iteration that is under way ends."""
        self._pass.close()

    @property
    def summary(self) -> Summary:
        """Give what the captures were worth, complete after the last item of an iteration."""
        return self._pass.summary

    def __iter__(self) -> Iterator[Item]:
        """Give calls, gaps, raw SASL tokens and reports as they end."""
        batches = map(taken_out, self.batches())
        if self._where is None:
            return chain.from_iterable(batches)
        where = self._where
        return chain.from_iterable(where.of(items, self.summary) for items in batches)

    def calls(self) -> Iterator[Call]:
        """Give the calls alone."""
        return (item for item in self if isinstance(item, Call))

    def batches(self) -> Iterator[list[Item]]:
        """Give the items in lists, one for each batch of packets, so that output can be flushed between them.

        Raises CaptureError where standard input would have to be read again.
        """
        if self._begun:
            if "-" in self.paths:
                raise CaptureError("-: standard input can be read once only; save it to a file first")
            self._pass = self._begin()
        self._begun = True
        self._pass.watch = self.watch
        return self._pass.batches()

    def finish(self) -> list[Item]:
        """Give what is left when nothing more is read: calls that wait for their answers, as they stand.

        `batches` ends with it; whoever stops before calls it instead.
        """
        return self._pass.finish()

    def bytes_read(self) -> tuple[int, int | None]:
        """Give how many bytes of the captures were read so far, and how many they have, if that is known."""
        return self._pass.bytes_read()

    def blocks(self) -> "Iterator[Block]":
        """Give the calls as rows of blocks."""
        from kafkasniff.tables.filling import blocks_of

        return blocks_of(self.calls())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the calls as an Arrow stream: the table `calls`."""
        from kafkasniff.tables.filling import stream_calls

        return stream_calls(self.calls())

    def to_arrow(self) -> "pyarrow.Table":
        """Give the calls as a table of pyarrow, which must be installed."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> "pandas.DataFrame":
        """Give the calls as a frame of pandas, which must be installed, and pyarrow too."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> "polars.DataFrame":
        """Give the calls as a frame of Polars, which must be installed."""
        import polars

        return polars.DataFrame(self)


class _Pass:
    """One reading of the captures from beginning to end."""

    def __init__(
        self,
        readers: list[CaptureReader],
        unreadable: list[CaptureError],
        secrets: SecretSources,
        engine: Engine,
        before: "_Pass | None" = None,
    ) -> None:
        """Read with `engine`; what `before` reads goes to the same context, and is forgotten else."""
        self.summary = Summary(counts=engine.counts)
        self._readers = readers
        self._unreadable = unreadable
        self._secrets = secrets
        self._engine = engine
        self._before = before
        self._size = _size_of(readers)
        self.watch: Callable[[PacketBatch], None] | None = None

    def batches(self) -> Iterator[list[Item]]:
        """Give what each batch of packets brought."""
        before, self._before = self._before, None
        for _ in before.batches() if before is not None else ():
            pass
        summary = self.summary
        for batch in merge(self._readers):
            if len(batch):
                if summary.first_time is None:
                    summary.first_time = batch.times[0]
                summary.last_time = batch.times[-1]
            if self.watch is not None:
                self.watch(batch)
            self._secrets.refresh()
            yield self._engine.feed(batch)
            self._count()
        yield [*self.finish()]

    def finish(self) -> list[Item]:
        """Give what is left."""
        self._secrets.refresh()
        items = self._engine.flush()
        self._count()
        self.summary.notes = self._engine.notes() + [note for reader in self._readers for note in reader.notes]
        self.summary.not_decrypted = self._engine.tls.notes()
        damages = [reader.damage for reader in self._readers if reader.damage is not None]
        self.summary.damages = [*self._unreadable, *damages]
        return items

    def bytes_read(self) -> tuple[int, int | None]:
        """Give how many bytes were read so far, and how many there are, if that is known."""
        return sum(reader.bytes_read for reader in self._readers), self._size

    def close(self) -> None:
        """Read no more."""
        for reader in self._readers:
            reader.close()

    def _count(self) -> None:
        counters = self._engine.reassembler.counters
        self.summary.packets = counters.packets
        self.summary.cut_packets = counters.cut_packets


def _open(paths: Sequence[str], budget: DecompressionBudget) -> tuple[list[CaptureReader], list[CaptureError]]:
    """Open those that are captures, and note why the others are none; raises CaptureError when all are none."""
    readers, unreadable = [], []
    for path in paths:
        try:
            readers.append(CaptureReader(path, budget=budget))
        except CaptureError as error:
            unreadable.append(error)
    if not readers:
        raise CaptureError("; ".join(map(str, unreadable)) or "expected the path of a capture, found none")
    return readers, unreadable


def _size_of(readers: Sequence[CaptureReader]) -> int | None:
    try:
        return sum(getsize(reader.file) for reader in readers)
    except OSError:  # standard input
        return None


def _keep_secrets(connection: Connection, lines: bytes) -> None:
    connection.tls_secrets = lines


read = Reading
"""Reads a capture, or several as one."""
