# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Cuts one direction of a connection into frames, from a known frame boundary on."""

from collections import deque
from collections.abc import Callable

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Frame
from kafkasniff.calls.limits import Budget
from kafkasniff.calls.segments import LargestSegments
from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import StreamData, StreamGap

if not cython.compiled:
    from kafkasniff.octets import part, unsigned32

SIZE_PREFIX = 4
LARGE = 1 << 20
"""Bytes of a message from which on its header must be plausible before the stream waits for its end."""
FIRST_BYTES = 64
"""Bytes of a large message that are looked at."""
_NO_PACKETS: tuple[Arrival, ...] = ()
HEADER_BYTES_OF_UNKEPT = 64 << 10
"""What is kept of a message above the limit: enough for its header and the beginning of its body."""


class FrameCutter:
    """A stream's bytes and gaps go in, its frames come out one by one.

    The cutter stands on a frame boundary until a gap swallows a size prefix or a size prefix is absurd; then
    `aligned` is False, and whoever feeds it has to find the next boundary and call `restart`.
    """

    __slots__ = (
        "_available",
        "_budget",
        "_finished",
        "_first",
        "_kept",
        "_last",
        "_limited",
        "_packets",
        "_queue",
        "_size",
        "_skip",
        "absurd_size",
        "aligned",
        "keep_packets",
        "kept_limit",
        "largest_segments",
        "last_segment",
        "offset",
        "plausible",
        "size_limit",
    )

    def __init__(
        self,
        kept_limit: int,
        size_limit: int,
        keep_packets: bool,
        plausible: Callable[[int, bytes], bool],
        budget: Budget,
    ) -> None:
        """Keep at most `kept_limit` bytes of a frame; take a size above `size_limit` bytes for damage.

        When `budget` is used up, only the beginning of a message that is not whole yet is kept.

        `plausible` is asked about each large message when its first bytes are there: size and content so far.
        """
        self.kept_limit = kept_limit
        self.size_limit = size_limit
        self.keep_packets = keep_packets
        self.plausible = plausible
        self._budget = budget
        self.aligned = True
        self.absurd_size: int | None = None
        """The size prefix that ended the alignment, if one did."""
        self.offset = 0
        """Stream position of the next byte to be cut."""
        self.last_segment = 0
        """Bytes on the wire of the segment that was pushed last; 0 when it is not known."""
        self.largest_segments = LargestSegments()
        self._queue: deque[tuple[StreamData, int]] = deque()
        self._available = 0
        self._size: int | None = None
        self._skip = 0
        """Bytes of the current frame that are still to come and will not be kept."""
        self._kept = b""
        self._limited = False
        self._first: Arrival | None = None
        self._last: Arrival | None = None
        self._packets: list[Arrival] = []
        self._finished: Frame | None = None

    def restart(self, offset: int) -> None:
        """Stand on the boundary at stream position `offset`, with nothing read yet."""
        self._drop_queue()
        self._forget_frame()
        self.offset = offset
        self.aligned = True
        self.absurd_size = None

    def misalign(self) -> None:
        """Leave the boundary: the frame given last was none."""
        self.aligned = False

    def push(self, event: StreamData, start: int = 0) -> None:
        """Take the bytes of a segment from `start` on; they follow what came before."""
        self.note_segment(len(event.data))
        self.add(event, start)

    def add(self, event: StreamData, start: int = 0) -> None:
        """Do the same with bytes whose segments are noted by themselves."""
        length = len(event.data) - start
        if self._skip:
            skipped = min(self._skip, length)
            self._skip -= skipped
            self.offset += skipped
            self._note(event)
            if not self._skip:
                self._finish_partial()
            if skipped == length:
                return
            start += skipped
            length -= skipped
        self._queue.append((event, start))
        self._available += length
        self._budget.take(length)

    @property
    def pushed_to(self) -> int:
        """Give the stream position behind the last byte pushed."""
        return self.offset + self._available

    def idle(self) -> bool:
        """Tell whether the next byte begins a message, of which nothing was pushed yet."""
        return self.aligned and self._size is None and not self._available and self._finished is None

    def whole_frame(self, event: StreamData, start: int) -> Frame | None:
        """Give the frame that begins at `start` of a segment that was not pushed, if it ends in there; when `idle`."""
        data = event.data
        end = start + SIZE_PREFIX
        if end > len(data):
            return None
        size = unsigned32(data, start)
        if size > len(data) - end or size > self.kept_limit:
            return None
        frame = Frame.__new__(Frame)
        frame.size = size
        frame.data = part(data, end, end + size)
        frame.first = frame.last = event.arrival
        frame.stream_offset = self.offset
        frame._problems = None
        frame.packets = (event.arrival, *event.fragments) if self.keep_packets else _NO_PACKETS
        frame.limited = False
        self.offset += SIZE_PREFIX + size
        return frame

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
        self._pass(gap)

    def _pass(self, gap: StreamGap) -> None:
        length = gap.length
        if self._skip:
            if length is not None and length <= self._skip:
                self._skip -= length
                self.offset += length
                if not self._skip:
                    self._last = gap.arrival
                    self._finish_partial()
                return
            self._last = gap.arrival
            self._finish_partial()
        elif self._size is None:
            self._drop_queue()
        else:
            missing = self._size - self._available
            self._start_skip(missing)
            if length is not None and length <= missing:
                self._pass(gap)
                return
            self._last = gap.arrival
            self._finish_partial()
        self.aligned = False

    def next_frame(self) -> Frame | None:
        """Give the next frame, whole or cut, or None when more bytes are needed (or `aligned` is False)."""
        if self._finished is not None:
            return self._hand_over()
        if not self.aligned:
            return None
        size = self._size
        if size is None:
            if self._available < SIZE_PREFIX:
                return None
            event, start = self._queue[0]
            data = event.data
            if len(data) - start >= SIZE_PREFIX:
                size = int.from_bytes(data[start : start + SIZE_PREFIX], "big", signed=True)
                end = start + SIZE_PREFIX + size
                if size >= 0 and end <= len(data) and size <= self.kept_limit:
                    return self._cut_from_one_packet(event, start, size)
            else:
                size = int.from_bytes(self._peek(SIZE_PREFIX), "big", signed=True)
            believed = 0 <= size <= self.size_limit
            if believed and size > LARGE and self._available < SIZE_PREFIX + size:
                if self._available < SIZE_PREFIX + FIRST_BYTES:
                    return None
                believed = self.plausible(size, self._peek(SIZE_PREFIX + FIRST_BYTES)[SIZE_PREFIX:])
            if not believed:
                self.aligned = False
                self.absurd_size = size
                return None
            self._first = self._queue[0][0].arrival
            self._take(SIZE_PREFIX)
            self._size = size
        if self._available < size:
            if self._available >= HEADER_BYTES_OF_UNKEPT and (size > self.kept_limit or not self._budget.left):
                if size <= self.kept_limit:
                    self._budget.reach()
                self._start_skip(size - self._available)
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

    def take_rest(self) -> list[tuple[StreamData, int]]:
        """Hand over what was pushed and not yet cut, as (event, first position that counts)."""
        rest = list(self._queue)
        self._drop_queue()
        return rest

    def end(self, arrival: Arrival) -> Frame | None:
        """Give what there is of an unfinished frame when nothing more comes."""
        if self._finished is not None:
            return self._hand_over()
        if not self.aligned or self._size is None:
            self._drop_queue()
            return None
        if not self._skip:
            self._start_skip(self._size - self._available)
        self._last = self._last or arrival
        self._finish_partial()
        return self._hand_over()

    def _cut_from_one_packet(self, event: StreamData, start: int, size: int) -> Frame:
        end = start + SIZE_PREFIX + size
        frame = Frame(
            size,
            event.data[start + SIZE_PREFIX : end],
            event.arrival,
            event.arrival,
            self.offset,
            packets=(event.arrival, *event.fragments) if self.keep_packets else (),
        )
        if end == len(event.data):
            self._queue.popleft()
        else:
            self._queue[0] = (event, end)
        self._available -= SIZE_PREFIX + size
        self._budget.give_back(SIZE_PREFIX + size)
        self.offset += SIZE_PREFIX + size
        return frame

    def _peek(self, count: int) -> bytes:
        found = b""
        for event, start in self._queue:
            found += event.data[start : start + count - len(found)]
            if len(found) == count:
                break
        return found

    def _take(self, count: int) -> bytes:
        """Remove `count` bytes from the queue, which has them, and note the packets they came in."""
        return b"".join(self._take_parts(count))

    def _take_parts(self, count: int) -> list[bytes]:
        """Do the same, and give them as they came."""
        parts, left = list[bytes](), count
        while left:
            event, start = self._queue[0]
            self._note(event)
            data = event.data
            length = len(data) - start
            if length > left:
                parts.append(data[start : start + left])
                self._queue[0] = (event, start + left)
                break
            parts.append(data[start:] if start else data)
            self._queue.popleft()
            left -= length
        self._available -= count
        self._budget.give_back(count)
        self.offset += count
        return parts

    def _note(self, event: StreamData) -> None:
        arrival = event.arrival
        # Completed by the latest packet, which need not be the last in the stream (segments out of order).
        last = self._last
        if last is None or arrival.time > last.time or (arrival.time == last.time and arrival.packet > last.packet):
            self._last = arrival
        if self.keep_packets:
            if not self._packets or self._packets[-1] is not arrival:
                self._packets.append(arrival)
            self._packets.extend(event.fragments)

    def _start_skip(self, missing: int) -> None:
        """Keep what there is of the current frame, and let its other `missing` bytes pass."""
        self._kept = self._take(self._available)
        self._skip = missing

    def _finish_partial(self) -> None:
        assert self._size is not None
        assert self._first is not None
        assert self._last is not None
        start = self.offset + self._skip - self._size - SIZE_PREFIX
        self._finished = Frame(
            self._size,
            self._kept,
            self._first,
            self._last,
            start,
            packets=tuple(dict.fromkeys(self._packets)),
            limited=self._limited,
        )
        self._forget_frame()

    def _hand_over(self) -> Frame | None:
        frame = self._finished
        self._finished = None
        return frame

    def _forget_frame(self) -> None:
        self._size = None
        self._skip = 0
        self._kept = b""
        self._limited = False
        self._first = None
        self._last = None
        self._packets = []

    def _drop_queue(self) -> None:
        self.offset += self._available
        self._budget.give_back(self._available)
        self._queue.clear()
        self._available = 0
