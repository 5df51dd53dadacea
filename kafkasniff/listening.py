"""Listens to network interfaces and gives the calls as they end: what `kafkasniff live` uses."""

import time
from collections.abc import Callable, Iterator, Mapping

from kafkasniff.calls.engine import Engine
from kafkasniff.calls.items import Item
from kafkasniff.calls.limits import CallLimits
from kafkasniff.calls.options import CallOptions
from kafkasniff.capture.interfaces.live import LiveCapture
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.capture.writer import PcapngWriter
from kafkasniff.reading import Summary
from kafkasniff.secrets import SecretSources
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.tls.context import TlsLimits

LIVE_LIMITS = TcpLimits(start_ns=50_000_000, closing_ns=100_000_000, ended=10_000)
"""Interfaces give packets in the order in which they come, so that little needs to wait for late ones
and ended connections are soon forgotten."""

SETTLED_NS = 50_000_000
"""When no packets wait, all up to so long ago were seen: the kernel gathers those after it."""
_TICK_NS = 50_000_000
_COUNT_SECONDS = 1.0


class Listening:
    """The calls and gaps on network interfaces, until the capture is stopped."""

    def __init__(
        self,
        capture: LiveCapture,
        say: Callable[[str], None],
        *,
        options: CallOptions | None = None,
        connections: bool = False,
        tcp_limits: TcpLimits = LIVE_LIMITS,
        call_limits: CallLimits | None = None,
        tls_limits: TlsLimits | None = None,
        duration_ns: int | None = None,
        writer: PcapngWriter | None = None,
        comments: Callable[[PacketBatch, list[Item]], Mapping[int, bytes]] | None = None,
        write_secrets: bool = False,
        key_log: str | None = None,
    ) -> None:
        """Take the packets of `capture`, which stays the caller's to close, and write them to `writer` too.

        `comments` gives those of a batch's packets by their indices, from what the batch brought.
        `say` is told what goes wrong while it does. `connections` adds a report of each connection when it ends. Calls
        that wait for longer than `call_limits` allows are given as they stand. After `duration_ns` the capture is
        stopped. `key_log` is a file with the secrets of TLS connections, which may grow. Raises CaptureError when it is
        none. With `write_secrets`, those that open connections of the capture are written too.
        """
        self.summary = Summary()
        self.watchers: list[Callable[[list[Item]], None]] = []
        """Each takes what is given before it is given."""
        self.in_flight = (0, 0)
        """Where there are watchers: open Kafka connections, and the requests on them that wait for their answers; as
        it was a second ago at most."""
        self._capture = capture
        self._say = say
        self._writer = writer
        self._comments = comments
        self._deadline = time.monotonic_ns() + duration_ns if duration_ns is not None else None
        self._secrets = SecretSources((), key_log)
        self._engine = Engine(tcp_limits, call_limits, options, connections, self._secrets.key_log, tls_limits)
        if writer is not None and write_secrets:
            self._engine.tls.copy_secrets = lambda _, lines: writer.write_secrets(lines)
        self.summary.counts = self._engine.counts
        self._has_said_tls = key_log is not None
        self._next_tick = 0
        self._next_count = time.monotonic() + _COUNT_SECONDS

    def batches(self) -> Iterator[list[Item]]:
        """Give calls, gaps and reports as they end, in lists between which output should be flushed.

        Raises CaptureError when packets cannot be written, or the key log not be read any more, and
        BrokenPipeError when whoever reads the packets has gone.
        """
        for batch in self._capture.batches():
            self._secrets.refresh()
            if len(batch):
                yield self._told(self._take(batch))
            yield self._told(self._tick(not len(batch)))
            self._look_at_the_clock()
        yield [*self.finish()]

    def bytes_read(self) -> tuple[int, int | None]:
        """Give nothing: an interface has no end that it could be a share of."""
        return 0, None

    def finish(self) -> list[Item]:
        """Give what is left when nothing more is captured: calls that wait for their answers, as they stand."""
        self._secrets.refresh()
        items = self._told(self._engine.flush())
        self.summary.not_decrypted = self._engine.tls.notes()
        self._account()
        return items

    def _take(self, batch: PacketBatch) -> list[Item]:
        summary = self.summary
        if summary.first_time is None:
            summary.first_time = batch.times[0]
        summary.last_time = batch.times[-1]
        items = self._engine.feed(batch)
        counters = self._engine.reassembler.counters
        summary.packets, summary.cut_packets = counters.packets, counters.cut_packets
        if self._writer is not None:
            # Behind the secrets that open them.
            self._writer.write_batch(batch, {} if self._comments is None else self._comments(batch, items))
            self._writer.flush()
        summary.largest_lag_ns = max(summary.largest_lag_ns, time.time_ns() - batch.times[0])
        return items

    def _told(self, items: list[Item]) -> list[Item]:
        """Let the watchers see what is given."""
        if items:
            for watch in self.watchers:
                watch(items)
        return items

    def _tick(self, quiet: bool) -> list[Item]:
        """Give what time alone brings; where packets do not cease, theirs is the time."""
        now = time.time_ns() if quiet else self.summary.last_time or 0
        if now < self._next_tick:
            return []
        self._next_tick = now + _TICK_NS
        return self._engine.tick(now - SETTLED_NS)

    def _look_at_the_clock(self) -> None:
        if self._deadline is not None and time.monotonic_ns() >= self._deadline:
            self._capture.stop()
        if time.monotonic() >= self._next_count:
            self._account()
            self._next_count = time.monotonic() + _COUNT_SECONDS

    def _account(self) -> None:
        if self.watchers:
            self.in_flight = self._engine.in_flight()
        summary, capture = self.summary, self._capture
        summary.notes = self._engine.notes()
        summary.damages = capture.failures
        if summary.counts.tls_begun and not summary.counts.calls and not self._has_said_tls:
            self._has_said_tls = True
            self._say("connections are TLS, and no call was seen so far; --keylog FILE decrypts them: docs/tls.md")
        dropped = capture.count()
        if dropped > summary.dropped_packets:
            self._say(
                f"{dropped - summary.dropped_packets:,} packets dropped by the kernel: they came faster than"
                " they were read; a larger --buffer or a --bpf filter helps"
            )
            summary.dropped_packets = dropped
