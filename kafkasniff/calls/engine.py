# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""The engine: packet batches in, calls and gaps out."""

from collections.abc import Sequence

from kafkasniff.calls.call import Call
from kafkasniff.calls.conversations import Conversations
from kafkasniff.calls.counts import Counts
from kafkasniff.calls.enrichment.fetch_sessions import FetchSessions
from kafkasniff.calls.enrichment.learning import Learning, may_tell, names_topic_ids
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.items import Item
from kafkasniff.calls.limits import Budget, CallLimits
from kafkasniff.calls.options import CallOptions
from kafkasniff.calls.reports import Gap
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.tcp.events import StreamEvent
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.reassembler import Reassembler
from kafkasniff.tcp.tls.context import TlsContext, TlsLimits
from kafkasniff.tcp.tls.key_log import KeyLog

SWEEP_NS = 500_000_000
"""How often `tick` looks at every connection."""

_TELLS = 1
_NAMES_IDS = 2
_LOOKED_UP = 4
_KEYS, _VERSIONS = 256, 32


class Engine:
    """Reassembles, frames and pairs; does no input or output.

    The same engine serves files, standard input, live interfaces and Spark: feed it batches of any size in packet
    order, flush it at the end.
    """

    __slots__ = (
        "_budget",
        "_conversations",
        "_kinds",
        "_latest",
        "_learning",
        "_next_sweep",
        "counts",
        "reassembler",
        "tls",
    )

    def __init__(
        self,
        tcp_limits: TcpLimits | None = None,
        call_limits: CallLimits | None = None,
        options: CallOptions | None = None,
        report_connections: bool = False,
        key_log: KeyLog | None = None,
        tls_limits: TlsLimits | None = None,
    ) -> None:
        """With `report_connections`, say of every connection what it was when it ends.

        TLS is decrypted with the secrets in `key_log`, which may grow between batches.
        """
        call_limits, options = call_limits or CallLimits(), options or CallOptions()
        self.tls = TlsContext(key_log, tls_limits)
        self.counts = Counts()
        self._budget = Budget(call_limits.held_in_all)
        self._conversations = Conversations(
            call_limits, options, self._budget, self.tls, self.counts, report_connections
        )
        self.reassembler = Reassembler(tcp_limits or TcpLimits(), self._conversations)
        self._learning = Learning(options.context, FetchSessions() if options.fetch_sessions else None)
        self._next_sweep = 0
        self._latest = 0
        """Up to when all packets were fed, also where there was none, in ns since 1970."""
        self._kinds = bytearray(_KEYS * _VERSIONS)
        """By API key and version, once looked up: whether its calls tell of others, and whether they have topic ids."""

    def notes(self) -> list[str]:
        """Give what could not be read and which limits were reached, in sentences."""
        notes = [*self.reassembler.counters.notes(), *self._budget.notes()]
        if repeated := self.counts.conflicts:
            notes.append(f"segments that repeated bytes with other contents (the first seen were kept): {repeated:,}")
        if unread := self.counts.unread_ends:
            notes.append(f"Kafka connections that end in bytes which are no message: {unread:,}")
        return notes

    def in_flight(self) -> tuple[int, int]:
        """Give how many open connections are Kafka, and how many requests wait for their answers on these."""
        return self._conversations.in_flight()

    def feed(self, batch: PacketBatch) -> list[Item]:
        """Take packets; give what ended with them, in packet order."""
        return self._take_rest(self.reassembler.feed(batch))

    def tick(self, now: int) -> list[Item]:
        """Give what the passing of time alone brings: all packets up to `now`, in ns since 1970, were fed.

        Calls that wait for longer than `CallLimits.pending_ns` are given as they stand, and secrets of TLS that came
        late are used.
        """
        self._latest = max(self._latest, now)
        rest = self.reassembler.tick(now)
        if now >= self._next_sweep:
            self._next_sweep = now + SWEEP_NS
            self._conversations.sweep(rest, now)
        return self._take_rest(rest)

    def flush(self, end: int = 0) -> list[Item]:
        """Give the rest: nothing more comes. The capture ends at `end`, in ns since 1970, if not with what was fed."""
        self._latest = max(self._latest, end)
        self._conversations.until = max(self._latest, self.reassembler.latest)
        return self._take_rest(self.reassembler.flush())

    def _take_rest(self, events: list[StreamEvent]) -> list[Item]:
        """Take the last events of what was fed; give the items of all, and learn from them."""
        items = self._conversations.take(events)
        self._note(items)
        return items

    def _note(self, items: Sequence[Item]) -> None:
        """Number the calls, count what ended, and learn from it."""
        counts, learning, kinds = self.counts, self._learning, self._kinds
        calls = counts.calls
        for item in items:
            if type(item) is Call:
                call = item
                calls += 1
                call.number = calls
                header = call.header
                if header is None:
                    continue
                key, version = header.api_key, header.api_version
                if key >= _KEYS or version >= _VERSIONS:
                    kind = _kind(key, version)
                else:
                    kind = kinds[key * _VERSIONS + version]
                    if not kind:
                        kind = kinds[key * _VERSIONS + version] = _kind(key, version)
                if kind & _TELLS:
                    learning.take(call)
                if kind & _NAMES_IDS:
                    learning.date(call)
            elif isinstance(item, Gap):
                counts.gaps += 1
                counts.gap_bytes += item.length or 0
        counts.calls = calls
        if counts.gaps or self.reassembler.counters.cut_packets:
            for item in items:
                if type(item) is Call:
                    call = item
                    counts.calls_in_part += _is_in_part(call.request) or _is_in_part(call.response)


def _is_in_part(frame: Frame | None) -> bool:
    """Tell whether the capture lacks bytes of a message."""
    return frame is not None and len(frame.data) != frame.size and not frame.limited


def _kind(key: int, version: int) -> int:
    """Tell what is to be done with the calls of an API in a version."""
    return _LOOKED_UP + _TELLS * may_tell(key, version) + _NAMES_IDS * names_topic_ids(key, version)
