# cython: language_level=3, annotation_typing=False, boundscheck=True, nonecheck=True
"""A call as rules see it: who made it, and of its bodies the fields that rules ask for."""

from typing import Any

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.long_names import LONGEST, with_short_names
from kafkasniff.diagnose.facts import Client, ConnectionHistory, request_of, response_of
from kafkasniff.protocol.primitives import RecordsField

Body = dict[str, Any]

_NOTHING: Body = {}
_NO_RECORDS: list[RecordsField] = []


@cython.final
@cython.freelist(64)
@cython.cclass
class Produced:
    """The batches of one partition in a Produce request, none of whose checksums was verified."""

    __slots__ = (
        "base_sequence",
        "end",
        "partition",
        "plain",
        "producer_epoch",
        "producer_id",
        "records",
        "start",
        "topic",
    )

    def __init__(
        self,
        topic: Body,
        partition: int,
        records: int,
        plain: bool,
        producer: tuple[int, int, int],
        start: int,
        end: int,
    ) -> None:
        """Take what was read of them."""
        self.topic = topic
        """The element of `topicData`."""
        self.partition = partition
        self.records = records
        """Records of all batches; a compressed message of magic 0 or 1 counts as two, as it holds others."""
        self.plain = plain
        """Whether no batch is compressed."""
        self.producer_id, self.producer_epoch, self.base_sequence = producer
        """Of the first batch; -1 for none."""
        self.start = start
        """Where the batches begin in the request's data."""
        self.end = end


@cython.final
@cython.no_gc
@cython.freelist(64)
@cython.cclass
class SeenCall:
    """A call with what was read of it: all that a rule needs, so that rules can also run on what was kept of calls."""

    __slots__ = (
        "call",
        "client",
        "ended",
        "failed",
        "history",
        "key",
        "produced",
        "records",
        "request",
        "response",
        "sent",
        "told_records",
    )

    def __init__(
        self,
        call: Call,
        key: int,
        history: ConnectionHistory,
        request_fields: frozenset[str] | None,
        response_fields: frozenset[str],
    ) -> None:
        """Read of a call, whose request was captured, the fields with these names; None for not reading a side."""
        assert call.request is not None
        self.call = call
        self.key = key
        """The API key."""
        self.history = history
        """What is known of its connection."""
        self.client: Client = history.client
        """The program behind it."""
        self.sent: int = call.request.first.time
        """When the request's first byte was sent (ns)."""
        self.ended: int = call.ended.time
        """When the call ended, with the answer's last byte where there is one (ns)."""
        self.request = _NOTHING
        """The request's fields that rules ask for, long names cut; empty when it did not decode without problems."""
        self.records: list[RecordsField] = _NO_RECORDS
        """Where the request's `records` fields lie."""
        self.response = _NOTHING
        """As `request`; empty also when there is no response."""
        self.told_records: list[RecordsField] = _NO_RECORDS
        """Where the response's `records` fields lie."""
        self.failed = False
        """Whether there are error codes, which `call.errors` gives."""
        self.produced: list[Produced] | None = None
        """What a Produce request brings, once `produced.produced` has read it."""
        if request_fields is not None:
            self._read_request(call, request_fields)
        if call.response is not None:
            self._read_response(call, response_fields)

    def _read_request(self, call: Call, names: frozenset[str]) -> None:
        scan = call.scan_request(names)
        if scan is None:
            value = request_of(call)
            if value:
                self.failed = bool(call.errors)
                assert call.request_body is not None
                self.request, self.records = with_short_names(value), call.request_body.records
            return
        self.failed = bool(scan.errors)
        self.request, self.records = scan.value, scan.records
        if scan.longest > LONGEST:
            self.request = with_short_names(self.request)

    def _read_response(self, call: Call, names: frozenset[str]) -> None:
        scan = call.scan_response(names)
        if scan is None:
            value = response_of(call)
            # The errors of a call are those of both its sides.
            self.failed = bool(value) and bool(call.errors)
            if value:
                assert call.response_body is not None
                self.response, self.told_records = with_short_names(value), call.response_body.records
            return
        if scan.errors:
            self.failed = True
        self.response, self.told_records = scan.value, scan.records
        if scan.longest > LONGEST:
            self.response = with_short_names(self.response)
