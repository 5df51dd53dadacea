"""Joining IP fragments."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import NamedTuple

from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.packets.ip import Fragment

_LARGEST_PAYLOAD = 65_535
_MOST_PIECES = 1_024
_PIECE_OVERHEAD = 300
"""Bytes that a waiting fragment takes beside its contents, about."""
_WAITING_OVERHEAD = 1_500
"""Bytes that a packet takes while it waits, beside its fragments, about: most are its `blocks`."""
_BLOCK = 8
"""Fragments begin at multiples of so many bytes, and all but the last one end there (RFC 791, 3.2)."""
_REPEAT_NS = 1_000_000_000
_JOINED_REMEMBERED = 4_096


class Joined(NamedTuple):
    """The payload of an IP packet, joined from its fragments."""

    data: bytes
    """What was captured of it, from its start without a break."""
    length: int
    """Its bytes on the wire."""
    others: tuple[Arrival, ...]
    """The packets that carried it, other than the last to arrive."""


class _Piece(NamedTuple):
    offset: int
    end: int
    data: bytes
    arrival: Arrival


class _Waiting:
    __slots__ = ("blocks", "held", "length", "pieces", "since")

    def __init__(self, since: int) -> None:
        self.since = since
        self.pieces: dict[tuple[int, int], _Piece] = {}
        self.length: int | None = None
        self.blocks = 0
        """A bit for each block that is there whole: so many fragments may overlap that to join them again and again
        would take minutes."""
        self.held = 0

    @property
    def is_whole(self) -> bool:
        """Tell whether no block lacks."""
        if self.length is None:
            return False
        wanted = (1 << -(-self.length // _BLOCK)) - 1
        return self.blocks & wanted == wanted


class Fragments:
    """IP fragments that wait for the rest of their packets, within bounds of bytes and capture time."""

    __slots__ = ("_counters", "_held", "_joined", "_limits", "_waiting")

    def __init__(self, limits: TcpLimits, counters: TcpCounters) -> None:
        """Start with none."""
        self._limits = limits
        self._counters = counters
        self._waiting: OrderedDict[Hashable, _Waiting] = OrderedDict()
        self._joined: OrderedDict[Hashable, int] = OrderedDict()
        self._held = 0

    def add(self, key: Hashable, fragment: Fragment, data: bytes, length: int, arrival: Arrival) -> Joined | None:
        """Take a fragment of the packet `key`; give the joined payload when it is the last that lacked.

        `length` is the fragment's payload on the wire, `data` what was captured of it. Where fragments overlap, the
        first seen wins.
        """
        self._counters.fragments += 1
        self._forget(arrival.time)
        end = fragment.offset + length
        if end > _LARGEST_PAYLOAD or length <= 0 or abs(arrival.time - self._joined.get(key, -1 << 62)) < _REPEAT_NS:
            # Beyond what IP allows, or a copy of a fragment of a packet just joined.
            self._counters.fragments_dropped += 1
            return None
        waiting = self._waiting.get(key)
        if waiting is None:
            waiting = self._waiting[key] = _Waiting(arrival.time)
            self._hold(waiting, _WAITING_OVERHEAD)
        if not fragment.more:
            waiting.length = end
        if (fragment.offset, end) in waiting.pieces:
            self._counters.fragments_dropped += 1
            return None
        if len(waiting.pieces) >= _MOST_PIECES:
            self._drop(key)
            self._counters.reach("IP packet of too many fragments dropped")
            return None
        waiting.pieces[fragment.offset, end] = _Piece(fragment.offset, end, data, arrival)
        # Linux too takes of a fragment that ends elsewhere only its whole blocks (ip_frag_queue).
        first, behind = fragment.offset // _BLOCK, (end if fragment.more else end + _BLOCK - 1) // _BLOCK
        waiting.blocks |= (1 << behind) - (1 << first)
        self._hold(waiting, len(data) + _PIECE_OVERHEAD)
        if waiting.length is None or not waiting.is_whole:
            return None
        del self._waiting[key]
        self._held -= waiting.held
        self._joined[key] = arrival.time
        if len(self._joined) > _JOINED_REMEMBERED:
            self._joined.popitem(last=False)
        return _join(waiting, waiting.length, arrival)

    def flush(self) -> None:
        """Drop what still waits."""
        for key in list(self._waiting):
            self._drop(key)

    def _forget(self, time: int) -> None:
        while self._waiting:
            key, oldest = next(iter(self._waiting.items()))
            if self._held > self._limits.fragment_bytes:
                self._counters.reach("IP fragments dropped: too many bytes of them waited")
            elif time - oldest.since <= self._limits.fragment_ns:
                return
            self._drop(key)

    def _hold(self, waiting: _Waiting, size: int) -> None:
        waiting.held += size
        self._held += size

    def _drop(self, key: Hashable) -> None:
        waiting = self._waiting.pop(key)
        self._held -= waiting.held
        self._counters.fragments_dropped += len(waiting.pieces)


def _join(waiting: _Waiting, length: int, last: Arrival) -> Joined:
    """Join the pieces, which leave no hole; pieces seen first win where they overlap."""
    wire = bytearray(length)
    known = bytearray(length)
    captured = bytearray(length)
    for piece in waiting.pieces.values():
        for start, end in _free(known, piece.offset, min(piece.end, length)):
            part = piece.data[start - piece.offset : end - piece.offset]
            wire[start : start + len(part)] = part
            captured[start : start + len(part)] = b"\1" * len(part)
            known[start:end] = b"\1" * (end - start)
    cut = captured.find(0)
    others = tuple(piece.arrival for piece in waiting.pieces.values() if piece.arrival is not last)
    return Joined(bytes(wire if cut < 0 else wire[:cut]), length, others)


def _free(known: bytearray, start: int, end: int) -> list[tuple[int, int]]:
    """Give the ranges within start..end that are not known yet."""
    ranges = []
    while start < end:
        start = known.find(0, start, end)
        if start < 0:
            break
        stop = known.find(1, start, end)
        stop = end if stop < 0 else stop
        ranges.append((start, stop))
        start = stop
    return ranges
