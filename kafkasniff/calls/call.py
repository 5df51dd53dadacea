# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""A call: a request with its response."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any, also for programs that use the classes
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.calls.contents import (
    HOLDING_APIS,
    NOTHING,
    SOUND,
    Contents,
    batches_as_json,
    decode_request,
    decode_response,
    is_plain,
    open_envelope,
    open_side,
    opens_values,
)
from kafkasniff.calls.context import NO_CONTEXT, Context
from kafkasniff.calls.enrichment.fetch_sessions import SessionStep, as_decoded
from kafkasniff.calls.enrichment.topics import has_topic_ids
from kafkasniff.calls.frame import Frame
from kafkasniff.capture.packets import Arrival
from kafkasniff.protocol.api_keys import ENVELOPE
from kafkasniff.protocol.bodies import DecodedBody, find_entities, find_errors
from kafkasniff.protocol.bodies.scanning import ScannedBody, scanner_of
from kafkasniff.protocol.error_codes.codes import error_name
from kafkasniff.protocol.errors import Problem
from kafkasniff.protocol.headers import RequestHeader, api_name, response_header_version
from kafkasniff.protocol.records.batches import Batch
from kafkasniff.protocol.records.totals import Totals, count_records, totals_of
from kafkasniff.tcp.events import Connection

Outcome = Literal["answered", "no-response-expected", "unanswered", "response-not-captured", "request-not-captured"]

Side = Literal["request", "response"]

CALL_FIELDS = (
    "connection",
    "client",
    "server",
    "request",
    "response",
    "header",
    "outcome",
    "ended",
    "pending_ns",
    "security_protocol",
    "principal",
    "software_name",
    "software_version",
    "show_secrets",
    "pairing_problems",
    "context",
    "fetch_session",
)
"""What a call is made of."""

_READ_LATER = ("_request_body", "_response_body", "_request_scan", "_response_scan", "_contents", "_errors")

_REPR_CLIENT_ID = 60

_NO_FIELDS: frozenset[str] = frozenset()


class FieldError(NamedTuple):
    """A non-zero error code in a message."""

    where: Side
    path: str
    code: int
    name: str


@cython.no_gc
@cython.freelist(2048)
@cython.cclass
class Call:
    """A request with its response. Bodies are decoded when first asked for."""

    __slots__ = (*CALL_FIELDS, *_READ_LATER, "number")

    def __init__(
        self,
        connection: Connection,
        client: str,
        server: str,
        request: Frame | None,
        response: Frame | None,
        header: RequestHeader | None,
        outcome: Outcome,
        ended: Arrival,
        pending_ns: int | None = None,
        security_protocol: str = "PLAINTEXT",
        principal: str | None = None,
        software_name: str | None = None,
        software_version: str | None = None,
        show_secrets: bool = False,
        pairing_problems: list[Problem] | None = None,
        context: Context = NO_CONTEXT,
        fetch_session: SessionStep | None = None,
    ) -> None:
        """Take what is known before any body is decoded."""
        self.connection = connection
        self.client = client
        self.server = server
        self.request = request
        self.response = response
        self.header = header
        """The request's header; None when the request was not captured."""
        self.outcome = outcome
        self.ended = ended
        """The packet that ended the call: the answer's last, or the one that ruled an answer out."""
        self.pending_ns = pending_ns
        """For `response-not-captured`: time from the request's last byte to where the capture stopped knowing."""
        self.security_protocol = security_protocol
        self.principal = principal
        self.software_name = software_name
        """From the connection's ApiVersions request (KIP-511)."""
        self.software_version = software_version
        self.show_secrets = show_secrets
        self.pairing_problems: Sequence[Problem] = () if pairing_problems is None else pairing_problems
        """What is wrong with frames and their pairing, known before any body is decoded."""
        self.context = context
        """What is asked of the call, and what other calls tell of it."""
        self.fetch_session = fetch_session
        """Of an incremental Fetch whose session was seen from its start."""
        self.number = 0
        """Which call of the reading it is, from 1, in the order in which calls ended; 0 before the engine gave it."""
        self._request_body: DecodedBody | None = None
        self._response_body: DecodedBody | None = None
        self._request_scan: ScannedBody | None = None
        self._response_scan: ScannedBody | None = None
        self._contents: Contents | None = None
        self._errors: list[FieldError] | None = None

    def __repr__(self) -> str:
        """Give it in a line."""
        from kafkasniff.protocol.names import camel_case  # of use here alone

        name = "request not captured"
        if self.header is not None:
            name = f"{camel_case(self.api_name or f'API {self.api_key}')} v{self.api_version}"
        client_id = "" if self.client_id is None else f" {self.client_id[:_REPR_CLIENT_ID]!r}"
        took = "" if self.total_ns is None else f" in {self.total_ns / 1e6:.3f} ms"
        return f"Call({name} {self.client} to {self.server}{client_id}, {self.outcome}{took})"

    def to_dict(self) -> dict[str, Any]:
        """Give what its JSON line has (docs/json.md), as a dict."""
        from kafkasniff import to_dict  # the package's own: this layer knows nothing of those that write lines

        return to_dict(self)

    @property
    def correlation_id(self) -> int:
        """Give the correlation id."""
        if self.header is not None:
            return self.header.correlation_id
        assert self.response is not None
        return int.from_bytes(self.response.data[:4], "big", signed=True)

    @property
    def api_key(self) -> int | None:
        """Give the API key; None when the request was not captured."""
        return self.header.api_key if self.header else None

    @property
    def api_version(self) -> int | None:
        """Give the request's version; None when the request was not captured."""
        return self.header.api_version if self.header else None

    @property
    def api_name(self) -> str | None:
        """Give Kafka's name of the API, e.g. `LIST_OFFSETS`; None when the request was not captured."""
        return None if self.header is None else api_name(self.header.api_key)

    @property
    def client_id(self) -> str | None:
        """Give the client id; None when it is null or the request was not captured."""
        return self.header.client_id if self.header else None

    @property
    def time(self) -> Arrival:
        """Give the packet that began the call: the request's first, else the response's."""
        frame = self.request or self.response
        assert frame is not None
        return frame.first

    @property
    def total_ns(self) -> int | None:
        """Give the time from the request's first byte to the response's last."""
        if self.request is None or self.response is None:
            return None
        return self.response.last.time - self.request.first.time

    @property
    def response_delay_ns(self) -> int | None:
        """Give the time from the request's last byte to the response's first: the broker's share."""
        if self.request is None or self.response is None:
            return None
        return self.response.first.time - self.request.last.time

    @property
    def request_body(self) -> DecodedBody | None:
        """Decode the request's body; None when the request was not captured."""
        if self._request_body is None and self.request is not None and self.header is not None:
            self._request_body = decode_request(self.header, self.request, self.context, self.show_secrets)
        return self._request_body

    @property
    def response_body(self) -> DecodedBody | None:
        """Decode the response's body; None when there is none, or its request and so its layout is not known."""
        if self._response_body is None and self.response is not None and self.header is not None:
            self._response_body = decode_response(self.header, self.response, self.context, self.show_secrets)
        return self._response_body

    def scan_request(self, names: frozenset[str]) -> ScannedBody | None:
        """Scan the request for the fields with these names, without decoding the rest of its body.

        None where there is no request, or where its body has any problem, which `request_body` tells.
        """
        scan = self._request_scan
        if scan is not None and scan.names is names:
            return scan
        header, frame = self.header, self.request
        if header is None or frame is None or len(frame.data) != frame.size:
            return None
        scanner = scanner_of(header.api_key, header.api_version, "request", names)
        self._request_scan = scan = scanner(frame.data, header.end)
        return scan

    def scan_response(self, names: frozenset[str]) -> ScannedBody | None:
        """Scan the response as `scan_request` does the request."""
        scan = self._response_scan
        if scan is not None and scan.names is names:
            return scan
        header, frame = self.header, self.response
        if header is None or frame is None or len(frame.data) != frame.size:
            return None
        offset = 4 + response_header_version(header.api_key, header.api_version)
        if offset == 5 and frame.data[4:5] != b"\0":
            return None
        scanner = scanner_of(header.api_key, header.api_version, "response", names)
        self._response_scan = scan = scanner(frame.data, offset)
        return scan

    @property
    def _is_closed(self) -> bool:
        """Tell whether what has read the bodies has shown that nothing lies inside them."""
        return (
            self.api_key not in HOLDING_APIS
            and (self.request is None or is_plain(self._request_scan, self._request_body))
            and (self.response is None or is_plain(self._response_scan, self._response_body))
        )

    def _open(self) -> Contents:
        if self._contents is None and self._is_closed:
            self._contents = NOTHING
        if self._contents is None or self._contents is SOUND:
            self._contents = contents = Contents()
            header, request, response = self.header, self.request, self.response
            if header is None:
                return contents
            if request is not None:
                self._open_side("request", header.api_key, request, self._request_scan, contents)
            if response is not None:
                self._open_side("response", header.api_key, response, self._response_scan, contents)
            if header.api_key == ENVELOPE and request is not None:
                answer = response.data if response is not None else None
                open_envelope(header, request.data, answer, self.show_secrets, contents)
        return self._contents

    def _open_side(self, side: Side, api_key: int, frame: Frame, scan: ScannedBody | None, into: Contents) -> None:
        body: ScannedBody | DecodedBody | None = scan
        if scan is None or opens_values(side, api_key, self.context):
            body = self.request_body if side == "request" else self.response_body
        open_side(side, api_key, frame.data, body, self.context, self.connection, self.show_secrets, into)

    @property
    def response_api_version(self) -> int | None:
        """Give the version of the response's layout: the request's, or 0 for ApiVersions refused by version."""
        body = self.response_body
        return body.version if body is not None else None

    @property
    def errors(self) -> list[FieldError]:
        """Give every non-zero error code with its path."""
        if self._errors is None:
            found = []
            if self.header is not None:
                scan = self._request_scan
                if self.request is not None and (scan is None or scan.errors):
                    found += self._errors_of("request", scan, self._request_body)
                scan = self._response_scan
                if self.response is not None and (scan is None or scan.errors):
                    found += self._errors_of("response", scan, self._response_body)
            self._errors = found
        return self._errors

    def _errors_of(self, side: Side, scan: ScannedBody | None, body: DecodedBody | None) -> list[FieldError]:
        """Give the errors of one side by what has read it, else by a scan, and where that fails by its body."""
        assert self.header is not None
        frame = self.request if side == "request" else self.response
        if scan is None and body is None and frame is not None and frame.whole:
            scan = self.scan_request(_NO_FIELDS) if side == "request" else self.scan_response(_NO_FIELDS)
            if scan is None:
                body = self.request_body if side == "request" else self.response_body
        found: list[tuple[str, int]] = []
        if scan is not None:
            found = scan.errors
        elif body is not None and body.value is not None:
            found = find_errors(self.header.api_key, body.version, side, body.value)
        return [FieldError(side, path, code, error_name(code)) for path, code in found]

    @property
    def batch_headers(self) -> list[tuple[Side, str, Batch]]:
        """Give the headers of the record batches, with side and path of the field that holds them."""
        return self._open().batches

    def record_totals(self, side: Side) -> Totals:
        """Count the records of one side, the CRCs of their batches checked; the headers are read only where needed."""
        frame, scan, other, other_scan = self.request, self._request_scan, self.response, self._response_scan
        if side == "response":
            frame, scan, other, other_scan = other, other_scan, frame, scan
        is_plain_otherwise = (other is None or is_plain(other_scan, None)) and self.api_key not in HOLDING_APIS
        may_count = is_plain_otherwise and not self.context.records and self._contents in (None, SOUND)
        if may_count and frame is not None and scan is not None:
            totals = count_records(frame.data, scan.records, side)
            if totals is not None:
                self._contents = SOUND
                return totals
        return totals_of([batch for where, _, batch in self._open().batches if where == side])

    @property
    def batches(self) -> list[dict[str, Any]]:
        """Give the record batches in the form of the JSON lines, with their records where these are asked for."""
        return batches_as_json(self._open())

    @property
    def known_decoded(self) -> list[dict[str, Any]]:
        """Give what `decoded` has of what other calls tell: the Fetch session, or the tokens of a login."""
        session = as_decoded(self.fetch_session) if self.fetch_session is not None else None
        return [session] if session is not None else [*self.context.tokens]

    @property
    def decoded(self) -> list[dict[str, Any]]:
        """Give the messages inside the messages in the form of the JSON lines."""
        return self.known_decoded + self._open().decoded

    @property
    def topics(self) -> dict[str, str]:
        """Give the names of the topic ids that the call mentions, as far as known by now."""
        found: dict[str, str] = {}
        if (header := self.header) is None:
            return found
        sides: tuple[Side, Side] = ("request", "response")
        for side in sides:
            if not has_topic_ids(header.api_key, header.api_version, side):
                continue
            body = self.request_body if side == "request" else self.response_body
            if body is not None and body.value is not None:
                named = find_entities(header.api_key, body.version, side, body.value)
                found |= self.context.topics.of(named.get("topicId", ()))
        return found

    @property
    def problems(self) -> list[Problem]:
        """Give all that is wrong with the call's messages."""
        contents = self._open() if self._contents is None else self._contents
        return [*self.pairing_problems, *contents.problems]


def new_call() -> Call:
    """Make a call of which nothing was read yet, sooner than by calling the class; the other fields are to be set."""
    call = Call.__new__(Call)
    call.fetch_session = None
    call.number = 0
    call._request_body = call._response_body = call._request_scan = call._response_scan = None
    call._contents = call._errors = None
    return call
