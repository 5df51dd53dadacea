# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Cuts one direction of a connection into frames, from a known frame boundary on."""

from typing import Protocol

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.correlation.segments import LargestSegments
from kafkasniff.calls.correlation.uncut import UncutBytes
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.limits import Budget
from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import StreamData, StreamGap

if not cython.compiled:
    from kafkasniff.calls.frame import new_frame
    from kafkasniff.octets import part, signed32

SIZE_PREFIX = 4
_PREFIX = SIZE_PREFIX
LARGE = 1 << 20
"""Bytes of a message from which on its header must be plausible before the stream waits for its end."""
FIRST_BYTES = 64
"""Bytes of a large message that are looked at."""
HEADER_BYTES = 8
"""Bytes of a large message without which nothing can be told of it."""
_NO_PACKETS: tuple[Arrival, ...] = ()
HEADER_BYTES_OF_UNKEPT = 64 << 10
"""What is kept of a message above the limit: enough for its header and the beginning of its body."""
_LARGE, _HEADER_BYTES = LARGE, HEADER_BYTES_OF_UNKEPT
_NO_MESSAGE = -1
_UNKNOWN = -1
"""The length of a gap, where it is not known."""


class SizeChecks(Protocol):
    """Knows what may be a message of a connection."""

    def is_plausible(self, direction: int, size: int, start: bytes) -> bool:
        """Tell whether a message of `size` bytes may begin with `start` in a direction."""


class FrameCutter:
    """A stream's bytes and gaps go in, its frames come out one by one.

    The cutter stands on a frame boundary until a gap swallows a size prefix or a size prefix is absurd; then
    `aligned` is False, and whoever feeds it has to find the next boundary and call `restart`. They also set it to False
    where a frame proves to be none.
    """

    __slots__ = (
        "_budget",
        "_checks",
        "_direction",
        "_finished",
        "_first",
        "_kept",
        "_last",
        "_limited",
        "_packets",
        "_size",
        "_skip",
        "_uncut",
        "absurd_size",
        "aligned",
        "keep_packets",
        "kept_limit",
        "largest_segments",
        "last_segment",
        "offset",
        "size_limit",
        "smallest",
    )

    def __init__(
        self, kept_limit: int, size_limit: int, keep_packets: bool, checks: SizeChecks, direction: int, budget: Budget
    ) -> None:
        """Keep at most `kept_limit` bytes of a frame; take a size above `size_limit` bytes for damage.

        When `budget` is used up, only the beginning of a message that is not whole yet is kept.

        `checks` are asked about each large message of the `direction` when its first bytes are there.
        """
        self.kept_limit = kept_limit
        self.size_limit = size_limit
        self.smallest = 0
        """The smallest size that is no damage."""
        self.keep_packets = keep_packets
        self._checks = checks
        self._direction = direction
        self._budget = budget
        self.aligned = True
        self.absurd_size: int | None = None
        """The size prefix that ended the alignment, if one did."""
        self.offset = 0
        """Stream position of the next byte to be cut."""
        self.last_segment = 0
        """Bytes on the wire of the segment that was pushed last; 0 when it is not known."""
        self.largest_segments = LargestSegments()
        self._uncut: UncutBytes | None = None
        """None before the first: most messages come in one segment each."""
        self._size = _NO_MESSAGE
        self._skip = 0
        """Bytes of the current frame that are still to come and will not be kept."""
        self._kept = b""
        self._limited = False
        self._first: Arrival | None = None
        self._last: Arrival | None = None
        self._packets: list[Arrival] | None = [] if keep_packets else None
        self._finished: Frame | None = None

    def restart(self, offset: int) -> None:
        """Stand on the boundary at stream position `offset`, with nothing read yet."""
        self._drop_uncut()
        self._forget_frame()
        self.offset = offset
        self.aligned = True
        self.absurd_size = None

    def push(self, event: StreamData, start: int = 0) -> None:
        """Take the bytes of a segment from `start` on; they follow what came before."""
        self.note_segment(len(event.data))
        self.add(event, start)

    def add(self, event: StreamData, start: int = 0) -> None:
        """Do the same with bytes whose segments are noted by themselves."""
        length = len(event.data) - start
        if self._skip:
            skipped = min(self._skip, length)
            self._pass(skipped, event.arrival, event.fragments)
            if skipped == length:
                return
            start += skipped
        if self._uncut is None:
            self._uncut = UncutBytes(self._budget)
        self._uncut.push(event, start)

    @property
    def pushed_to(self) -> int:
        """Give the stream position behind the last byte pushed."""
        return self.offset + self._uncut_count()

    def next_arrival(self) -> Arrival:
        """Give the packet of the next byte to be cut, which was pushed."""
        assert self._uncut is not None
        return self._uncut.first().arrival

    def _uncut_count(self) -> int:
        return 0 if self._uncut is None else self._uncut.count

    def idle(self) -> bool:
        """Tell whether the next byte begins a message, of which nothing was pushed yet."""
        if not self.aligned or self._size != _NO_MESSAGE or self._finished is not None:
            return False
        return self._uncut is None or not self._uncut.count

    def has_more(self) -> bool:
        """Tell whether `next_frame` may give a frame, or bytes are there and no boundary."""
        # Without a local variable, which would be counted as a reference.
        return not self.aligned or self._finished is not None or (self._uncut is not None and self._uncut.count > 0)

    def whole_frame(self, data: bytes, start: int, arrival: Arrival, fragments: tuple[Arrival, ...]) -> Frame | None:
        """Give the frame that begins at `start` of a segment that was not pushed, if it ends in there; when `idle`.

        The segment came in the packets `arrival` and `fragments`.
        """
        room = len(data) - start - _PREFIX
        if room < 0:
            return None
        size = signed32(data, start)
        if size < self.smallest or size > room or size > self.kept_limit:
            return None
        return self._frame_in(data, start, size, arrival, fragments)

    def pass_over(self, length: int, arrival: Arrival, fragments: tuple[Arrival, ...]) -> bool:
        """Take a segment of `length` bytes if these are all of a message whose rest is not kept; tell whether so."""
        if not 0 < length <= self._skip:
            return False
        self._pass(length, arrival, fragments)
        return True

    def begin_cut(self, data: bytes, start: int, arrival: Arrival, fragments: tuple[Arrival, ...]) -> bool:
        """Take the beginning of a message, at `start` of a segment that was not pushed and lacks its end.

        False where other bytes come next, or where the message needs a closer look.
        """
        room = len(data) - start - _PREFIX
        if room < 0 or not self.idle():
            return False
        size = signed32(data, start)
        if size < self.smallest or size > self.kept_limit or size > _LARGE:
            return False
        self._first = arrival
        self._note(arrival, fragments)
        self._size = size
        self._kept = part(data, start + _PREFIX, len(data))
        self._skip = size - room
        self.offset += _PREFIX + room
        return True

    def note_segment(self, length: int) -> None:
        """Note a segment by its bytes on the wire."""
        self.last_segment = length
        self.largest_segments.note(length)

    def push_gap(self, gap: StreamGap) -> None:
        """Take a gap. After it the cutter may have a cut frame to give, and may stand nowhere (`aligned` False)."""
        if gap.cut and gap.length:
            self.note_segment(self.last_segment + gap.length)
        else:
            self.last_segment = 0
        self.lose(_UNKNOWN if gap.length is None else gap.length, gap.arrival)

    def lose(self, length: int, arrival: Arrival) -> None:
        """Go on behind `length` bytes that lack, as a packet tells, or (`_UNKNOWN`) behind some."""
        if self._size == _NO_MESSAGE:
            self._drop_uncut()
            self.aligned = False
        else:
            if not self._skip:
                self._start_skip(self._size - self._uncut_count())
            if 0 <= length < self._skip:
                self._skip -= length
                self.offset += length
                return
            self.aligned = length == self._skip
            self._last = arrival
            self._finish_partial()
        self.offset += max(length, 0)

    def _pass(self, length: int, arrival: Arrival, fragments: tuple[Arrival, ...]) -> None:
        """Let bytes of the current frame pass that are not kept."""
        self._skip -= length
        self.offset += length
        self._note(arrival, fragments)
        if not self._skip:
            self._finish_partial()

    def next_frame(self) -> Frame | None:
        """Give the next frame, whole or cut, or None when more bytes are needed (or `aligned` is False)."""
        if self._finished is not None:
            return self._hand_over()
        if not self.aligned:
            return None
        size = self._size
        if size == _NO_MESSAGE:
            if self._uncut_count() < _PREFIX:
                return None
            assert self._uncut is not None
            event = self._uncut.first()
            start = self._uncut.start
            if len(event.data) - start >= _PREFIX:
                size = signed32(event.data, start)
                if self.smallest <= size <= self.kept_limit and start + _PREFIX + size <= len(event.data):
                    return self._cut_from_one_packet(event, start, size)
            else:
                size = signed32(self._uncut.peek(_PREFIX), 0)
            believed = self.smallest <= size <= self.size_limit
            if believed and size > _LARGE and self._uncut_count() < _PREFIX + size:
                if self._uncut_count() < _PREFIX + FIRST_BYTES:
                    return None
                beginning = self._uncut.peek(SIZE_PREFIX + FIRST_BYTES)[SIZE_PREFIX:]
                believed = self._checks.is_plausible(self._direction, size, beginning)
            if not believed:
                self.aligned = False
                self.absurd_size = size
                return None
            self._first = event.arrival
            self._take(_PREFIX)
            self._size = size
        if self._uncut_count() < size:
            if self._uncut_count() >= _HEADER_BYTES and (size > self.kept_limit or not self._budget.left):
                if size <= self.kept_limit:
                    self._budget.reach()
                self._start_skip(size - self._uncut_count())
                self._kept = self._kept[:HEADER_BYTES_OF_UNKEPT]
                self._limited = True
            return None
        if size > self.kept_limit:
            kept = min(size, HEADER_BYTES_OF_UNKEPT)
            self._kept = self._take(kept)
            self._take(size - kept)
            self._limited = size > kept
        else:
            self._kept = self._take(size)
        self._finish_partial()
        return self._hand_over()

    def judge_rest(self) -> int:
        """Judge a large message of whose first bytes too few came before; nothing more comes.

        Give how many bytes there are in place of a size prefix.
        """
        uncut = self._uncut
        if self._size != _NO_MESSAGE or not self.aligned or uncut is None:
            return 0
        if uncut.count >= _PREFIX + HEADER_BYTES:
            size = signed32(uncut.peek(_PREFIX), 0)
            if not self._checks.is_plausible(self._direction, size, uncut.peek(_PREFIX + FIRST_BYTES)[_PREFIX:]):
                self.aligned = False
                self.absurd_size = size
        return uncut.count if uncut.count < _PREFIX else 0

    def take_rest(self) -> list[tuple[StreamData, int]]:
        """Hand over what was pushed and not yet cut, as (event, first position that counts)."""
        rest = [] if self._uncut is None else self._uncut.rest()
        self._drop_uncut()
        return rest

    def end(self, arrival: Arrival) -> Frame | None:
        """Give what there is of an unfinished frame when nothing more comes."""
        if self._finished is not None:
            return self._hand_over()
        if not self.aligned or self._size == _NO_MESSAGE:
            self._drop_uncut()
            return None
        if not self._skip:
            self._start_skip(self._size - self._uncut_count())
        self._last = self._last or arrival
        self._finish_partial()
        return self._hand_over()

    def _cut_from_one_packet(self, event: StreamData, start: int, size: int) -> Frame:
        frame = self._frame_in(event.data, start, size, event.arrival, event.fragments)
        assert self._uncut is not None
        self._uncut.pass_over(_PREFIX + size)
        return frame

    def _frame_in(self, data: bytes, start: int, size: int, arrival: Arrival, fragments: tuple[Arrival, ...]) -> Frame:
        """Make the frame that lies whole in the data of a segment, its prefix at `start`, and go behind it."""
        offset = self.offset
        self.offset = offset + _PREFIX + size
        packets = (arrival, *fragments) if self.keep_packets else _NO_PACKETS
        body = part(data, start + _PREFIX, start + _PREFIX + size)
        return new_frame(size, body, arrival, arrival, offset, packets)

    def _take(self, count: int) -> bytes:
        """Remove `count` bytes from the queue, which has them, and note the packets they came in."""
        parts: list[bytes] = []
        left = count
        while left:
            assert self._uncut is not None
            event = self._uncut.first()
            self._note(event.arrival, event.fragments)
            piece = self._uncut.cut(left)
            parts.append(piece)
            left -= len(piece)
        self.offset += count
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _note(self, arrival: Arrival, fragments: tuple[Arrival, ...]) -> None:
        """Note that bytes of the current frame came in a packet, in so many fragments."""
        # Completed by the latest packet, which need not be the last in the stream (segments out of order).
        last = self._last
        if last is None or arrival.time > last.time or (arrival.time == last.time and arrival.packet > last.packet):
            self._last = arrival
        packets = self._packets
        if packets is not None:
            if not packets or packets[-1] is not arrival:
                packets.append(arrival)
            packets.extend(fragments)

    def _start_skip(self, missing: int) -> None:
        """Keep what there is of the current frame, and let its other `missing` bytes pass."""
        self._kept = self._take(self._uncut_count())
        self._skip = missing

    def _finish_partial(self) -> None:
        assert self._size != _NO_MESSAGE
        assert self._first is not None
        assert self._last is not None
        offset = self.offset + self._skip - self._size - _PREFIX
        packets = tuple(dict.fromkeys(self._packets)) if self._packets is not None else _NO_PACKETS
        frame = new_frame(self._size, self._kept, self._first, self._last, offset, packets)
        frame.limited = self._limited
        self._finished = frame
        self._forget_frame()

    def _hand_over(self) -> Frame | None:
        frame = self._finished
        self._finished = None
        return frame

    def _forget_frame(self) -> None:
        self._size = _NO_MESSAGE
        self._skip = 0
        self._kept = b""
        self._limited = False
        self._first = None
        self._last = None
        if self._packets is not None:
            self._packets = []

    def _drop_uncut(self) -> None:
        if self._uncut is not None:
            self.offset += self._uncut.drop()
