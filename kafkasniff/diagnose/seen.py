"""A call as rules see it: who made it, and of its bodies the fields that rules ask for."""

from typing import Any, NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.calls.long_names import LONGEST, with_short_names
from kafkasniff.diagnose.facts import Client, Talk, request_of, response_of
from kafkasniff.protocol.primitives import RecordsField

Body = dict[str, Any]

_NOTHING: Body = {}


class Produced(NamedTuple):
    """The batches of one partition in a Produce request, none of whose checksums was verified."""

    topic: Body
    """The element of `topicData`."""
    partition: int
    records: int
    """Records of all batches; a compressed message of magic 0 or 1 counts as two, as it holds others."""
    plain: bool
    """Whether no batch is compressed."""
    producer_id: int
    """Of the first batch, as are epoch and sequence; -1 for none."""
    producer_epoch: int
    base_sequence: int
    start: int
    """Where the batches begin in the request's data."""
    end: int


class SeenCall:
    """A call with what was read of it: all that a rule needs, so that rules can also run on what was kept of calls."""

    __slots__ = (
        "call",
        "client",
        "ended",
        "failed",
        "key",
        "produced",
        "records",
        "request",
        "response",
        "sent",
        "talk",
        "told_records",
    )

    call: Call
    key: int
    """The API key."""
    client: Client
    """The program behind it."""
    talk: Talk
    """What is known of its connection."""
    sent: int
    """When the request's first byte was sent (ns)."""
    ended: int
    """When the call ended, with the answer's last byte where there is one (ns)."""
    request: Body
    """The request's fields that rules ask for, long names cut as they are remembered; empty when it did not decode."""
    response: Body
    """The same of the response; empty when there is none or it did not decode whole."""
    records: list[RecordsField]
    """Where the request's `records` fields lie."""
    told_records: list[RecordsField]
    """Where the response's `records` fields lie."""
    produced: list[Produced] | None
    """What a Produce request brings, once `produced.produced` has read it."""

    failed: bool
    """Whether there are error codes, which `call.errors` gives."""

    def __init__(self, call: Call, key: int, talk: Talk, fields: tuple[frozenset[str], frozenset[str]]) -> None:
        """Read of a call, whose request was captured, the fields with these names in its request and response."""
        assert call.request is not None
        self.call = call
        self.key = key
        self.talk = talk
        self.client = talk.client
        self.sent = call.request.first.time
        self.ended = call.ended.time
        self.produced = None
        self.failed = False
        if fields[0]:
            scan = call.scan_request(fields[0])
            if scan is not None:
                self.request, self.records, self.failed = scan.value, scan.records, bool(scan.errors)
            else:
                self.request, self.failed = request_of(call), bool(call.errors)
                self.records = call.request_body.records if call.request_body is not None and self.request else []
            if call.request.size > LONGEST:
                self.request = with_short_names(self.request)
        else:
            self.request, self.records = _NOTHING, []
        if call.response is None:
            self.response, self.told_records = _NOTHING, []
            return
        scan = call.scan_response(fields[1])
        if scan is not None:
            self.response, self.told_records = scan.value, scan.records
            self.failed |= bool(scan.errors)
        else:
            self.response, self.failed = response_of(call), bool(call.errors)
            self.told_records = call.response_body.records if call.response_body and self.response else []
        if call.response.size > LONGEST:
            self.response = with_short_names(self.response)
