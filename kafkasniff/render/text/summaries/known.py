# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Summaries of calls that come again and again: of a member's heartbeats, and of a client's questions for brokers."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call
from kafkasniff.protocol.api_keys import HEARTBEAT, METADATA
from kafkasniff.protocol.headers import RequestHeader

if not cython.compiled:

    def kafkasniff_equal_from(one: bytes, other: bytes, start: int) -> bool:
        """Tell whether two bytes objects are as long, and equal from a place on."""
        return len(one) == len(other) and one[start:] == other[start:]


_HEARTBEAT = cython.declare(cython.int, HEARTBEAT)
_METADATA = cython.declare(cython.int, METADATA)
_FIRST_WITH_IDS = cython.declare(cython.int, 10)
"""From this version on Metadata names topics by ids, of which the names may be learnt later."""
_BEHIND_CORRELATION_ID = cython.declare(cython.Py_ssize_t, 8)
_SLOTS = cython.declare(cython.Py_ssize_t, 4096)
"""Of clients, by hash: a power of two."""
_LONGEST = cython.declare(cython.Py_ssize_t, 512)
"""Bytes of the longest message that is remembered."""


@cython.final
@cython.cclass
class KnownSummary:
    """The summary of a call, and the messages that it is of."""

    def __init__(self, header: RequestHeader, request: bytes, response: bytes, text: bytes) -> None:
        """Take them."""
        self.api_key = header.api_key
        self.api_version = header.api_version
        self.request = request
        self.response = response
        self.text = text


@cython.final
@cython.cclass
class KnownSummaries:
    """Remembers the last such call of each client: both messages are equal to the next, but for correlation ids."""

    def __init__(self) -> None:
        """Begin with none."""
        self.slots: list[KnownSummary | None] = [None] * _SLOTS

    def may_repeat(self, call: Call) -> cython.bint:
        """Tell whether a call is one of those that are remembered."""
        header, request, response = call.header, call.request, call.response
        if header is None or request is None or response is None:
            return False
        if header.api_key == _METADATA:
            return header.api_version < _FIRST_WITH_IDS and len(response.data) <= _LONGEST
        return header.api_key == _HEARTBEAT and len(request.data) <= _LONGEST

    def find(self, call: Call) -> bytes | None:
        """Give the summary of a call that may repeat, if it does; nothing in it was unusual then."""
        header, request, response = call.header, call.request, call.response
        assert header is not None
        assert request is not None
        assert response is not None
        known: KnownSummary | None = self.slots[(hash(call.client) + header.api_key) & (_SLOTS - 1)]
        if (
            known is None
            or known.api_key != header.api_key
            or known.api_version != header.api_version
            or request.size != len(request.data)
            or response.size != len(response.data)
            or not kafkasniff_equal_from(known.request, request.data, _BEHIND_CORRELATION_ID)
            or not kafkasniff_equal_from(known.response, response.data, 4)
        ):
            return None
        return known.text

    def keep(self, call: Call, text: bytes) -> cython.int:
        """Remember the summary of a call that may repeat, in which nothing is unusual."""
        header, request, response = call.header, call.request, call.response
        assert header is not None
        assert request is not None
        assert response is not None
        made = KnownSummary(header, request.data, response.data, text)
        self.slots[(hash(call.client) + header.api_key) & (_SLOTS - 1)] = made
        return 0
