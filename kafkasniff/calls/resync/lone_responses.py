"""Proves responses where the capture holds no request: by nothing but themselves.

Sizes that lead from frame to frame and ids that count up are not enough, as ZooKeeper and others answer like that too.
Each body must decode to its last byte under some layout of Kafka's, and some must be of a length that chance does not
make fit.
"""

from bisect import bisect_left

from kafkasniff.calls.resync.evidence import ID_STEP, IMPOSSIBLE, PROOF, Score
from kafkasniff.calls.resync.fitting import Fitting
from kafkasniff.calls.resync.held import HeldStream
from kafkasniff.calls.resync.response_evidence import SMALLEST_RESPONSE

LONGEST_CHAIN = 16
"""Frames that are looked at from a place on."""
LEAST_FRAMES = 3
LEAST_FRAMES_OF_KAFKA = 2
"""The same of a server that is known to speak Kafka."""
LEAST_POINTS = 8
"""Ids that are the last one's successor, and twice the bodies that tell something."""
FARTHEST_STEP = 4_096
"""How far the first correlation id behind a gap is beyond the last one before it, at most."""
OPEN_PLACES = 64
REFUTED = 8
"""Chains with a body that is none of Kafka's, after which the stream is taken for another protocol's."""
_LARGEST = 2 << 20
"""Bytes of a frame that is followed: search does not hold more."""


class LoneResponses:
    """Looks in one direction for response frames that prove themselves, where segments begin."""

    __slots__ = ("_fitting", "_open", "_refuted", "_scanned", "_told")

    def __init__(self) -> None:
        """Know nothing yet."""
        self._scanned = 0
        self._open: dict[int, int] = {}
        """Places that may still prove to be boundaries, with the stream position up to which that needs more bytes."""
        self._fitting = Fitting()
        self._told: dict[int, bool | None] = {}
        """What was said of the frames at these places."""
        self._refuted = 0

    def find_before(self, held: HeldStream, place: int, last_answer: int | None) -> int | None:
        """Give the stream position of the first response that proves itself before the proven one at `place`, or None.

        Its sender is known to speak Kafka; ids count up from that of the last response before a gap, if there is one,
        to that at `place`.
        """
        prefix = held.read(place, 8)
        assert prefix is not None
        below = int.from_bytes(prefix[4:], "big", signed=True)
        count = bisect_left(held.segment_starts, place)
        for start in held.segment_starts[:count][:OPEN_PLACES]:
            if self._weigh(held, start, True, last_answer, below).points >= PROOF:
                return start
        return None

    def find(self, held: HeldStream, of_kafka: bool, last_answer: int | None = None, again: bool = False) -> int | None:
        """Give the stream position of the first proven response frame, or None.

        `of_kafka` tells that the sender is known to speak Kafka; `last_answer` is the correlation id of the last
        response before a gap; `again` looks at every place, as the sender may have become known since.
        """
        if self._refuted >= REFUTED:
            return None
        for start in reversed(held.segment_starts):
            if start < self._scanned:
                break
            self._open.setdefault(start, start + 8)
        self._scanned = held.end
        for place in sorted(self._open):
            if self._open[place] > held.end and not again:
                continue
            points, self._open[place] = self._weigh(held, place, of_kafka, last_answer)
            if points >= PROOF:
                return place
            if points < 0:
                del self._open[place]
        for place in sorted(self._open, key=self._open.__getitem__)[OPEN_PLACES:]:
            del self._open[place]
        return None

    def _weigh(
        self, held: HeldStream, place: int, of_kafka: bool, last_answer: int | None, below: int = 1 << 31
    ) -> Score:
        """Weigh the chain of frames from `place` on, whose ids are less than `below`."""
        chain: list[tuple[int, int]] = []
        steady, last, at = 0, last_answer, place
        while len(chain) < LONGEST_CHAIN and (prefix := held.read(at, 8)) is not None:
            size = int.from_bytes(prefix[:4], "big", signed=True)
            correlation_id = int.from_bytes(prefix[4:], "big", signed=True)
            if not SMALLEST_RESPONSE <= size <= _LARGEST or not 0 <= correlation_id < below:
                return IMPOSSIBLE
            if last is not None and not 0 < correlation_id - last <= (FARTHEST_STEP, 1, ID_STEP)[min(len(chain), 2)]:
                return IMPOSSIBLE
            steady += bool(chain) and last is not None and correlation_id - last == 1
            chain.append((at, size))
            at, last = at + 4 + size, correlation_id
        more_at = at if held.end < at else at + 8
        if more_at <= held.end and held.run_at(at) is None:
            # What lies in a gap, or was let go, does not come any more.
            more_at = held.end + 1
        if len(chain) < (LEAST_FRAMES_OF_KAFKA if of_kafka else LEAST_FRAMES):
            return Score(0, more_at)
        telling = 0
        for start, size in chain:
            frame = held.read(start + 4, size)
            tells = False if frame is None else self._tells(start, frame)
            if tells is None:
                self._refuted += 1
                return IMPOSSIBLE
            telling += tells
        if of_kafka:
            proven = steady + telling >= LEAST_FRAMES_OF_KAFKA
        else:
            proven = telling >= 2 and steady + 2 * telling >= LEAST_POINTS
        return Score(PROOF if proven else 0, more_at)

    def _tells(self, place: int, frame: bytes) -> bool | None:
        if place not in self._told:
            self._told[place] = self._fitting.tells(frame)
        return self._told[place]
