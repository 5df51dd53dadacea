# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Requests that a client sends again: which call of those before it a call repeats.

What proves it is in the bytes. A request was sent again where all behind its correlation id stood in an earlier one of
the client which was answered with an error after which clients may retry, or not at all. So was a Produce of a producer
with an id, whatever the answer, as its sequence numbers stand in writes of the same records alone (KIP-98). Not found:
what is repeated in another form, as where a producer puts its batches together anew.
"""

from array import array

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call
from kafkasniff.protocol import api_keys
from kafkasniff.protocol.error_codes.codes import ERROR_CODES
from kafkasniff.protocol.headers import RequestHeader

if not cython.compiled:
    from kafkasniff.render.text.summaries.known import kafkasniff_equal_from

_KEYS = cython.declare(cython.int, 128)
_PRODUCE = cython.declare(cython.int, api_keys.PRODUCE)
_ONGOING = (
    api_keys.FETCH,
    api_keys.HEARTBEAT,
    api_keys.SASL_HANDSHAKE,
    api_keys.API_VERSIONS,
    api_keys.SASL_AUTHENTICATE,
    api_keys.VOTE,
    api_keys.BEGIN_QUORUM_EPOCH,
    api_keys.END_QUORUM_EPOCH,
    api_keys.DESCRIBE_QUORUM,
    api_keys.ENVELOPE,
    api_keys.FETCH_SNAPSHOT,
    api_keys.BROKER_REGISTRATION,
    api_keys.BROKER_HEARTBEAT,
    api_keys.UNREGISTER_BROKER,
    api_keys.CONSUMER_GROUP_HEARTBEAT,
    api_keys.SHARE_GROUP_HEARTBEAT,
    api_keys.SHARE_FETCH,
    api_keys.SHARE_ACKNOWLEDGE,
    api_keys.STREAMS_GROUP_HEARTBEAT,
)
"""Fetch, heartbeats, logins, the quorum's requests and others that come again and again, whatever their answers say."""
_COMPARED = cython.declare(bytes, bytes([key not in _ONGOING for key in range(128)]))

_SLOTS = cython.declare(cython.Py_ssize_t, 512)
"""Of the last requests of connections, by the client's number and the API: a power of two."""
_SPREAD = cython.declare(cython.Py_ssize_t, 37)
"""Slots from one client's to the next one's."""
_LONGEST = cython.declare(cython.Py_ssize_t, 2048)
"""Bytes of the longest request, or answer, that is remembered in one."""
_PRODUCERS = cython.declare(cython.Py_ssize_t, 32)
"""Client ids whose writes are remembered, by their number: a power of two."""
_WRITES = cython.declare(cython.Py_ssize_t, 5)
"""Writes of each: producers have five under way at most (max.in.flight.requests.per.connection)."""
_LONGEST_WRITE = cython.declare(cython.Py_ssize_t, 1 << 17)
_MOST_NUMBERED = cython.declare(cython.Py_ssize_t, 4096)
"""Clients and client ids that are numbered, before numbers begin again."""
_BEHIND_CORRELATION_ID = cython.declare(cython.Py_ssize_t, 8)


@cython.final
@cython.cclass
class Repeats:
    """Remembers the last requests of clients."""

    def __init__(self) -> None:
        """Begin with none."""
        self.last: list[Call | None] = [None] * _SLOTS
        """Without those that are known to have had no error: what is kept is slow to be let go of."""
        self.written: list[Call | None] = [None] * (_PRODUCERS * _WRITES)
        self.sizes = array("q", bytes(8 * _PRODUCERS * _WRITES))
        """Of these, in bytes: mostly they tell that nothing is repeated."""
        self.turns: list[int] = [0] * _PRODUCERS
        self.numbers: dict[str | None, int] = {}
        """Of clients and client ids, as they come: Python's hashes of texts differ from run to run."""
        self.taken: Call | None = None
        """The last that was put into `last` …"""
        self.place = 0
        """… and where."""

    def take(self, call: Call) -> Call | None:
        """Take the next call, in the order in which calls ended; give the one that it repeats."""
        header, request = call.header, call.request
        if header is None or request is None or header.api_key < 0 or header.api_key >= _KEYS:
            return None
        key: cython.int = header.api_key
        self.taken = None
        if not _COMPARED[key]:
            return None
        if key == _PRODUCE:
            return self.take_write(call, header)
        if len(request.data) > _LONGEST or (call.response is not None and len(call.response.data) > _LONGEST):
            return None
        place: cython.Py_ssize_t = (self.number_of(call.client) * _SPREAD + key) & (_SLOTS - 1)
        last: Call | None = self.last[place]
        self.last[place] = self.taken = call
        self.place = place
        if last is None or last.connection is not call.connection or not self.is_same(last, call):
            return None
        return last if self.has_failed(last, call) else None

    def number_of(self, text: str | None) -> cython.Py_ssize_t:
        """Give the number of a client, or of a client id."""
        found = self.numbers.get(text)
        if found is not None:
            return found
        if len(self.numbers) >= _MOST_NUMBERED:
            self.numbers.clear()
        number = self.numbers[text] = len(self.numbers)
        return number

    def note_sound(self, call: Call) -> cython.int:
        """Note that a call was answered without an error, so that its client does not try again."""
        if self.taken is call:
            self.last[self.place] = self.taken = None
        return 0

    def take_write(self, call: Call, header: RequestHeader) -> Call | None:
        """Take a Produce, which may repeat one of another connection."""
        request = call.request
        assert request is not None
        if len(request.data) > _LONGEST_WRITE:
            return None
        slot: cython.Py_ssize_t = self.number_of(header.client_id) & (_PRODUCERS - 1)
        turn: cython.Py_ssize_t = self.turns[slot]
        place: cython.Py_ssize_t
        found: Call | None = None
        for place in range(slot * _WRITES, (slot + 1) * _WRITES):
            if self.sizes[place] != request.size:
                continue
            earlier: Call | None = self.written[place]
            if earlier is not None and self.is_same(earlier, call) and _is_written_again(earlier, call):
                found = earlier
        self.written[slot * _WRITES + turn] = call
        self.sizes[slot * _WRITES + turn] = request.size
        self.turns[slot] = (turn + 1) % _WRITES
        return found

    def is_same(self, earlier: Call, call: Call) -> cython.bint:
        """Tell whether two calls ask for the same."""
        one, other, first, second = earlier.header, call.header, earlier.request, call.request
        assert one is not None
        assert other is not None
        assert first is not None
        assert second is not None
        return (
            first.size == second.size
            and one.api_key == other.api_key
            and one.api_version == other.api_version
            and kafkasniff_equal_from(first.data, second.data, _BEHIND_CORRELATION_ID)
        )

    def has_failed(self, earlier: Call, call: Call) -> cython.bint:
        """Tell whether a client may try again what an earlier call asked."""
        response, header, request = earlier.response, earlier.header, call.request
        if response is None or header is None or request is None:
            return earlier.outcome == "unanswered"
        return _may_retry(earlier) and request.first.time >= response.last.time


def _may_retry(call: Call) -> bool:
    """Tell whether an answer has an error after which clients may try again."""
    known = (ERROR_CODES.get(error.code) for error in call.errors)
    return any(error is not None and error.retriable for error in known)


def _is_written_again(earlier: Call, call: Call) -> bool:
    """Tell whether of two equal writes the later one was sent because of the other."""
    first, second = earlier.request, call.request
    if first is None or second is None or second.first.time <= first.last.time:
        return False
    if earlier.client.rpartition(":")[0] != call.client.rpartition(":")[0]:
        return False
    if any(batch.producer_id >= 0 for side, _, batch in call.batch_headers if side == "request"):
        return True
    if earlier.response is None:
        return earlier.outcome == "unanswered"
    return second.first.time >= earlier.response.last.time and _may_retry(earlier)
