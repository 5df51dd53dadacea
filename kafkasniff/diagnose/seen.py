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
from kafkasniff.protocol.bodies.scanning import Scanner
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
        "name",
        "partition",
        "plain",
        "producer_epoch",
        "producer_id",
        "records",
        "start",
        "topic",
    )

    def __init__(self, records: int, plain: bool, producer: tuple[int, int, int]) -> None:
        """Take what was read of them."""
        self.topic: Body = _NOTHING
        """The element of `topicData`."""
        self.name: str | None = None
        """The topic's, as far as known."""
        self.partition = -1
        self.records = records
        """Records of all batches; a compressed message of magic 0 or 1 counts as two, as it holds others."""
        self.plain = plain
        """Whether no batch is compressed."""
        self.producer_id, self.producer_epoch, self.base_sequence = producer
        """Of the first batch; -1 for none."""
        self.start = self.end = 0
        """Where the batches begin in the request's data, and end."""


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
        request_scanner: Scanner | None,
        response_scanner: Scanner,
    ) -> None:
        """Read of a call, whose request was captured, what these scan; None for not reading the request."""
        self.call = call
        assert self.call.request is not None
        self.key = key
        """The API key."""
        self.history = history
        """What is known of its connection."""
        # By attributes whose C types are known.
        self.client: Client = self.history.client
        """The program behind it."""
        self.sent: int = self.call.request.first.time
        """When the request's first byte was sent (ns)."""
        self.ended: int = self.call.ended.time
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
        if request_scanner is not None:
            self._read_request(call, request_scanner)
        if self.call.response is not None:
            self._read_response(call, response_scanner)

    def _read_request(self, call: Call, scanner: Scanner) -> None:
        header, frame = call.header, call.request
        assert header is not None
        assert frame is not None
        if call._request_body is None and call._request_scan is None and len(frame.data) == frame.size:
            # As `scan_request` does, which would first have to look for the scanner.
            call._request_scan = scan = scanner.scan(frame.data, header.end)
        else:
            scan = call.scan_request(scanner.names)
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

    def _read_response(self, call: Call, scanner: Scanner) -> None:
        frame = call.response
        assert frame is not None
        if (
            call._response_body is None
            and call._response_scan is None
            and len(frame.data) == frame.size
            and (scanner.begins == 4 or frame.data[4:5] == b"\0")
        ):
            call._response_scan = scan = scanner.scan(frame.data, scanner.begins)
        else:
            scan = call.scan_response(scanner.names)
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
