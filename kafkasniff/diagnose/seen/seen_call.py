# cython: language_level=3, annotation_typing=False, boundscheck=True, nonecheck=True
"""A call as rules see it: who made it, and of its bodies the fields that rules ask for."""

from typing import Any, Final

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.long_names import LONGEST, with_short_names
from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.diagnose.facts.history import ConnectionHistory
from kafkasniff.diagnose.facts.whole_bodies import request_of, response_of
from kafkasniff.diagnose.seen.produced import Produced
from kafkasniff.protocol.bodies.scanning import Scanner
from kafkasniff.protocol.primitives import RecordsField

Body = dict[str, Any]

_NOTHING: Body = {}
_NO_RECORDS: list[RecordsField] = []
_NO_NAMES: list[str | None] = []
_NO_COMMITTED: "list[CommittedPartition]" = []
_NO_BATCHES: "list[Produced]" = []

FAILED: Final = 1
"""There are error codes. This and what follows are traits of calls, for `Rule.only`."""
UNANSWERED: Final = 2
"""There is no answer."""
ACKS_ZERO: Final = 4
ACKS_ONE: Final = 8
TRANSACTIONAL: Final = 16
"""Produce names a transactional id."""
WITH_RACK: Final = 32
"""Fetch names a rack."""
WITH_RECORDS: Final = 64
"""The answer brings bytes of records."""
BEHIND: Final = 128
"""A last stable offset may be below its high watermark."""

ABSENT: Final = -(1 << 62)
"""In place of a number that is not there."""
_ABSENT = ABSENT
_FAILED, _UNANSWERED, _ACKS_ZERO, _ACKS_ONE = FAILED, UNANSWERED, ACKS_ZERO, ACKS_ONE
_TRANSACTIONAL, _WITH_RACK, _WITH_RECORDS, _BEHIND = TRANSACTIONAL, WITH_RACK, WITH_RECORDS, BEHIND


@cython.final
@cython.no_gc
@cython.freelist(64)
@cython.cclass
class CommittedPartition:
    """A partition that a request names.

    - `topic`, `topic_index`: its topic, by name or id as in the request, and which of the request's topics that is.
    - `partition`: its number.
    """

    __slots__ = ("partition", "topic", "topic_index")

    def __init__(self, topic: str | None, topic_index: int, partition: int) -> None:
        """Take what was read of it."""
        self.topic = topic
        self.topic_index = topic_index
        self.partition = partition


@cython.final
@cython.no_gc
@cython.freelist(64)
@cython.cclass
class SeenCall:
    """A call with what was read of it: all that a rule needs, so that rules can also run on what was kept of calls.

    Names and numbers that `BodiesReader` reads stand here by themselves: long names are cut, and of a body that does
    not decode without problems there are none. All other fields are in `request` and `response`.
    """

    __slots__ = (
        *("_request", "_response", "_told_records", "request_scanner", "response_scanner"),
        *("acks", "call", "client", "ended", "failed", "group", "history", "is_behind", "key", "max_wait_ms"),
        *("member", "names", "committed", "produced", "rack", "sent", "session_epoch", "throttle_ms", "told_bytes"),
        *("topics", "transactional_id"),
    )

    def begin(
        self,
        call: Call,
        key: int,
        history: ConnectionHistory,
        request_scanner: Scanner | None,
        response_scanner: Scanner,
    ) -> None:
        """Take a call whose request was captured, of which nothing is read yet; None for not reading the request."""
        self.call = call
        self.key = key
        """The API key."""
        self.history = history
        """What is known of its connection."""
        # By attributes whose C types are known.
        self.client: Client = self.history.client
        """The program behind it."""
        assert self.call.request is not None
        self.sent: int = self.call.request.first.time
        """When the request's first byte was sent (ns)."""
        self.ended: int = self.call.ended.time
        """When the call ended, with the answer's last byte where there is one (ns)."""
        self.request_scanner = request_scanner
        self.response_scanner = response_scanner
        self._request: Body | None = None
        self._response: Body | None = None
        self._told_records = _NO_RECORDS
        self.forget_request()
        self.forget_response()

    def forget_request(self) -> None:
        """Know nothing of the request: it is not read, or did not decode well."""
        self.group: str | None = None
        self.member: str | None = None
        self.rack: str | None = None
        self.transactional_id: str | None = None
        """Of Produce alone."""
        self.acks = self.max_wait_ms = self.session_epoch = _ABSENT
        self.topics = _NO_NAMES
        """Of Produce, Fetch and OffsetCommit the topics in their order, by name or id as in the request."""
        self.names = _NO_NAMES
        """Their names, as far as known."""
        self.committed = _NO_COMMITTED
        """The partitions that OffsetCommit names."""
        self.produced = _NO_BATCHES
        """What Produce brings."""

    def forget_response(self) -> None:
        """Know nothing of the response."""
        self.failed = False
        """Whether there are error codes, which `call.errors` gives."""
        self.throttle_ms = self.told_bytes = 0
        """`throttleTimeMs`, and the bytes of all `records` fields."""
        self.is_behind = False
        """Whether a partition's last stable offset may be below its high watermark, in a Fetch answer."""

    def traits(self) -> int:
        """Give which of the traits that rules ask for the call has."""
        found = _FAILED if self.failed else 0
        if self.call.response is None:
            found |= _UNANSWERED
        if self.acks == 0:
            found |= _ACKS_ZERO
        elif self.acks == 1:
            found |= _ACKS_ONE
        if self.transactional_id:
            found |= _TRANSACTIONAL
        if self.rack:
            found |= _WITH_RACK
        if self.told_bytes > 0:
            found |= _WITH_RECORDS
        if self.is_behind:
            found |= _BEHIND
        return found

    @property
    def request(self) -> Body:
        """Give the request's fields that rules ask for, long names cut; none when it did not decode well."""
        if self._request is None:
            self._read_request()
        assert self._request is not None
        return self._request

    @property
    def response(self) -> Body:
        """Give those of the response; none also when there is no response."""
        if self._response is None:
            self._read_response()
        assert self._response is not None
        return self._response

    @property
    def told_records(self) -> list[RecordsField]:
        """Say where the response's `records` fields lie."""
        if self._response is None:
            self._read_response()
        return self._told_records

    def _read_request(self) -> None:
        call = self.call
        self._request = _NOTHING
        if self.request_scanner is None:
            return
        scan = call.scan_request(self.request_scanner.names)
        if scan is None:
            self._request = with_short_names(request_of(call))
        else:
            self._request = with_short_names(scan.value) if scan.longest > LONGEST else scan.value

    def _read_response(self) -> None:
        call = self.call
        self._response = _NOTHING
        if call.response is None:
            return
        scan = call.scan_response(self.response_scanner.names)
        if scan is None:
            value = response_of(call)
            if value:
                assert call.response_body is not None
                self._response, self._told_records = with_short_names(value), call.response_body.records
        else:
            self._response = with_short_names(scan.value) if scan.longest > LONGEST else scan.value
            self._told_records = scan.records

    def read_whole_response(self) -> None:
        """Find out by all fields of the response what `BodiesReader` could not."""
        self.forget_response()
        response = self.response
        # The errors of a call are those of both its sides.
        self.failed = bool(response) and bool(self.call.errors)
        self.throttle_ms = response.get("throttleTimeMs", 0)
        self.told_bytes = sum(end - start for _, start, end in self._told_records)
        self.is_behind = True


def seen_call(
    call: Call, key: int, history: ConnectionHistory, request_scanner: Scanner | None, response_scanner: Scanner
) -> SeenCall:
    """Make one, sooner than by calling the class; what `begin` takes is given."""
    seen = SeenCall.__new__(SeenCall)
    seen.begin(call, key, history, request_scanner, response_scanner)
    return seen
