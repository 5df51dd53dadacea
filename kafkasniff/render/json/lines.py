# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Writes calls as JSON, one object a line (fields: docs/json.md)."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call
from kafkasniff.calls.context import Context
from kafkasniff.calls.enrichment.fetch_sessions import FIRST_WITH_IDS, Covered, SessionStep
from kafkasniff.capture.packets import Interface
from kafkasniff.protocol.bodies import is_unsupported_version
from kafkasniff.protocol.bodies.json_writer import JsonWriter, RecordsPlace
from kafkasniff.protocol.bodies.tables import FieldTable
from kafkasniff.protocol.bodies.text_buffer import TextBuffer
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.render.json.found import (
    decoded_parts,
    failed_text,
    file_text,
    found_text,
    members_text,
)
from kafkasniff.render.json.members import ErrorAt
from kafkasniff.render.json.parts import Ends, Layout, SharedParts
from kafkasniff.render.json.records import RecordsWriter
from kafkasniff.render.json.safe import safe_line
from kafkasniff.render.json.times import LONGEST, Seconds
from kafkasniff.render.line_writer import LineWriter

if not cython.compiled:
    from kafkasniff.protocol.bodies.uncompiled_text import kafkasniff_add, kafkasniff_number
    from kafkasniff.render.json.batches import write_batches
    from kafkasniff.render.json.members import session_text, write_errors, write_topics
    from kafkasniff.render.json.times import write_milliseconds

_OUTCOMES: dict[str, bytes] = {
    outcome: f',"outcome":"{outcome}"'.encode()
    for outcome in ("answered", "no-response-expected", "unanswered", "response-not-captured", "request-not-captured")
}

_ANSWERED: list[bytes] = [f',"responseApiVersion":{version},"outcome":"answered"'.encode() for version in range(32)]
"""What stands behind the bodies in most lines, by the response's version."""

# What stands before numbers and times.
_CALL = cython.declare(bytes, b'{"type":"call","number":')
_TIME = cython.declare(bytes, b',"time":"')
_CORRELATION_ID = cython.declare(bytes, b'"correlationId":')
_NO_HEADER = cython.declare(bytes, b'},"request":')
_PENDING = cython.declare(bytes, b',"pendingMs":')
_TOTAL_TIME = cython.declare(bytes, b',"totalTimeMs":')
_RESPONSE_DELAY = cython.declare(bytes, b',"responseDelayMs":')
_REQUEST_SIZE = cython.declare(bytes, b',"requestSizeBytes":')
_RESPONSE_SIZE = cython.declare(bytes, b',"responseSizeBytes":')
_NULL = cython.declare(bytes, b"null")
_NO_REQUEST = cython.declare(bytes, b',"requestFile":null,"requestPacket":null')
_NO_RESPONSE = cython.declare(bytes, b',"responseFile":null,"responsePacket":null')

_LONGEST_START = cython.declare(cython.Py_ssize_t, len(_CALL) + len(_TIME) + 3 * LONGEST)
_LONGEST_END = cython.declare(cython.Py_ssize_t, 128 + 8 * LONGEST)
"""Bytes that these and the numbers and times between them take at most."""

_REQUEST = b'{"where":"request","path":"'
_RESPONSE = b'{"where":"response","path":"'
"""How a batch begins, by its side."""

_LONGEST_DECODED = cython.declare(cython.Py_ssize_t, 16 << 10)
"""Bytes of the text of what a Fetch session covers, so that it is remembered."""
_FIRST_WITH_IDS = cython.declare(cython.int, FIRST_WITH_IDS)

_NO_ERRORS: list[ErrorAt] = []
_NO_IDS: list[str] = []
_NO_RECORDS: list[RecordsPlace] = []


@cython.final
@cython.cclass
class JsonLines(LineWriter):
    """Writes the lines of calls, one after the other."""

    def __init__(self) -> None:
        """Begin with no line."""
        super().__init__()
        self.writer = JsonWriter()
        self.writer.out = self.out
        self.parts = SharedParts()
        self.seconds = Seconds()
        self.records = RecordsWriter(self.out)
        self.context: Context | None = None
        self.most_elements = 0
        self.shows_records = self.cuts_values = False
        self.interface: Interface | None = None
        self.digits = 0
        self.request_file = self.response_file = b""

    def write(self, call: Call) -> cython.int:
        """Write a call's line, with its newline."""
        start: cython.Py_ssize_t = self.out.size
        try:
            self.write_call(call)
        except BaseException:
            self.out.cut(start)
            raise
        if self.out.is_unsafe:
            self.out.is_unsafe = False
            line = safe_line(self.out.taken(start))
            self.out.cut(start)
            self.out.add(line)
        return 0

    def write_call(self, call: Call) -> cython.int:
        """Write a line, straight from the bytes of the call where nothing is wrong with them."""
        out: TextBuffer = self.out
        writer: JsonWriter = self.writer
        header, request, response = call.header, call.request, call.response
        if header is None or request is None:
            return self.write_decoded(call)
        data: bytes = request.data
        answer: bytes | None = None
        if len(data) != request.size:
            return self.write_decoded(call)
        if response is not None:
            answer = response.data
            if len(answer) != response.size:
                return self.write_decoded(call)
        if call.context is not self.context:
            self.take_context(call.context)
        layout: Layout = self.parts.layout_of(header, call.show_secrets)
        start: cython.Py_ssize_t = out.size
        self.write_start(call, layout)
        if not self.write_body(layout.request, data, header.end):
            out.cut(start)
            return self.write_decoded(call)
        # Lists that are empty are used again for the response.
        errors = writer.errors or _NO_ERRORS
        ids = writer.topic_ids or _NO_IDS
        records = writer.places or _NO_RECORDS
        is_internal: cython.bint = writer.names_internal_topic
        out.add(b',"response":')
        response_errors, response_ids, response_records = _NO_ERRORS, _NO_IDS, _NO_RECORDS
        if answer is None:
            out.add(b"null")
        elif self.write_response(layout, header.api_version, answer):
            response_errors, response_ids, response_records = writer.errors, writer.topic_ids, writer.places
            is_internal = is_internal or writer.names_internal_topic
        else:
            out.cut(start)
            return self.write_decoded(call)
        self.write_end(call, -1 if answer is None else header.api_version, b"")
        names: dict[str, str] | None = None
        if ids or response_ids:
            names = call.context.topics.of([*ids, *response_ids])
            for name in names.values():
                is_internal = is_internal or name.startswith("__")
        if not call.pairing_problems:
            start = out.size
            if errors or response_errors:
                write_errors(out, errors, response_errors)
            if self.write_all_batches(call.context, data, answer, records, response_records, is_internal):
                if call.fetch_session is not None or call.context.tokens:
                    self.write_known_decoded(call)
                if names:
                    write_topics(out, names)
                return out.add(self.parts.client_of(call))
            out.cut(start)
        self.add_unsafe(
            found_text(
                call,
                ("request", data, errors, ids, records),
                ("response", answer or b"", response_errors, response_ids, response_records),
            )
        )
        return out.add(self.parts.client_of(call))

    def take_context(self, context: Context) -> cython.int:
        """Take what is asked of the calls from here on."""
        self.context = context
        self.most_elements = context.limits.elements
        self.shows_records = context.records
        self.cuts_values = context.limit_value is not None
        return 0

    def write_all_batches(
        self,
        context: Context,
        data: bytes,
        answer: bytes | None,
        records: list[RecordsPlace],
        response_records: list[RecordsPlace],
        is_internal: cython.bint,
    ) -> cython.bint:
        """Write the batches of both bodies, with their records where these are asked for.

        Gives False, and writes nothing, where anything is unusual about them; the records of internal topics are.
        """
        if not records and not response_records:
            return True
        writer: RecordsWriter | None = None
        if self.shows_records:
            if self.cuts_values or is_internal:
                return False
            writer = self.records
        out: TextBuffer = self.out
        start: cython.Py_ssize_t = out.size
        spent: cython.longlong = 0
        if writer is not None:
            spent = context.spending.records.left
        out.add(b',"batches":[')
        empty: cython.Py_ssize_t = out.size
        is_written: cython.bint = write_batches(out, data, _REQUEST, records, True, writer, context)
        if is_written and answer is not None and response_records:
            is_first: cython.bint = out.size == empty
            is_written = write_batches(out, answer, _RESPONSE, response_records, is_first, writer, context)
        if not is_written:
            out.cut(start)
            if writer is not None:
                context.spending.records.left = spent
        elif out.size == empty:
            out.cut(start)
        else:
            out.byte(0x5D)
        return is_written

    def write_known_decoded(self, call: Call) -> cython.int:
        """Write what other calls tell of one; that of a Fetch session is the same for many calls."""
        step: SessionStep | None = call.fetch_session
        header = call.header
        if step is None or header is None or call.context.tokens:
            return self.add_unsafe(members_text({"decoded": call.known_decoded}))
        covered: Covered | None = step.covered()
        if covered is None:
            return 0
        # What a session covers is in text one of two things: its topics by name, or by id.
        has_ids: cython.bint = header.api_version >= _FIRST_WITH_IDS
        text: bytes | None = covered.line
        if text is None or covered.line_has_ids != has_ids:
            text = session_text(self.out, step, covered)
            if len(text) <= _LONGEST_DECODED:
                covered.line = text
                covered.line_has_ids = has_ids
        return self.out.add(text)

    def add_unsafe(self, text: str) -> cython.int:
        """Write text that may hold what a terminal obeys."""
        if not text.isascii() or "\x7f" in text:
            self.out.is_unsafe = True
        return self.out.add(text.encode())

    def write_response(self, layout: Layout, version: cython.int, data: bytes) -> cython.bint:
        """Write the body of a response, as `write_body` does."""
        start: cython.Py_ssize_t = 4
        if layout.is_flexible:
            # Kafka knows no tagged fields in the header, so that their count is one byte, and zero.
            if len(data) < 5 or data[4] != 0:
                return False
            start = 5
        if layout.may_be_refused and is_unsupported_version(version, data, start):
            return False
        return self.write_body(layout.response, data, start)

    def write_body(self, table: FieldTable | None, data: bytes, start: cython.Py_ssize_t) -> cython.bint:
        """Write a body; give False for one with any problem, of which the caller cuts off what was written."""
        if table is None:
            return False
        writer: JsonWriter = self.writer
        writer.begin_next(data, start, self.most_elements)
        try:
            writer.write(table)
        except ProtocolError:
            return False
        return writer.p == writer.end

    def write_decoded(self, call: Call) -> cython.int:
        """Write a line by way of the decoded bodies, which tell all that may be wrong with them."""
        request, response, version, partial, found = decoded_parts(call)
        self.out.is_unsafe = True
        self.write_start(call, None)
        self.out.add(request)
        self.out.add(b',"response":')
        self.out.add(response)
        self.write_end(call, -1 if version is None else version, partial.encode())
        self.out.add(found.encode())
        return self.out.add(self.parts.client_of(call))

    def failed(self, call: Call, message: str) -> bytes:
        """Give the line of a call that cannot be shown: all but what lies in its bodies."""
        self.take()
        self.write_start(call, None)
        self.out.add(b'null,"response":null')
        self.write_end(call, -1, b"")
        self.out.add(failed_text(call, message).encode())
        self.out.add(self.parts.client_of(call))
        return safe_line(self.take())

    def write_start(self, call: Call, layout: Layout | None) -> cython.int:
        """Write what stands before the bodies."""
        out: TextBuffer = self.out
        header = call.header
        frame = call.request
        if frame is None:
            frame = call.response
        assert frame is not None
        first = frame.first
        if first.interface is not self.interface:
            self.take_interface(first.interface)
        ends: Ends = self.parts.ends_of(call)
        before_id: bytes = _CORRELATION_ID
        behind_id: bytes = _NO_HEADER
        correlation_id: cython.longlong
        if header is None:
            correlation_id = call.correlation_id
        else:
            if layout is None:
                layout = self.parts.layout_of(header, call.show_secrets)
            before_id = layout.text
            behind_id = self.parts.client_id_text(ends, header.client_id)
            correlation_id = header.correlation_id
        place = to = out.reserve(_LONGEST_START + len(ends.text) + len(before_id) + len(behind_id))
        to = kafkasniff_add(to, _CALL)
        to = kafkasniff_number(to, call.number)
        to = kafkasniff_add(to, _TIME)
        to = self.seconds.write_time(to, first.time, self.digits)
        to = kafkasniff_add(to, ends.text)
        to = kafkasniff_add(to, before_id)
        to = kafkasniff_number(to, correlation_id)
        to = kafkasniff_add(to, behind_id)
        if not cython.compiled:
            return out.add(to)
        out.size += to - place
        return 0

    def write_end(self, call: Call, version: cython.int, partial: bytes) -> cython.int:
        """Write what stands behind the bodies, up to what was found in them; the version is -1 without a response."""
        out: TextBuffer = self.out
        request, response = call.request, call.response
        # Of both the file's name stands before the packet.
        before_request, before_response = _NO_REQUEST, _NO_RESPONSE
        if request is not None:
            if request.last.interface is not self.interface:
                self.take_interface(request.last.interface)
            before_request = self.request_file
        if response is not None:
            if response.last.interface is not self.interface:
                self.take_interface(response.last.interface)
            before_response = self.response_file
        before: bytes
        if 0 <= version < len(_ANSWERED) and not partial and call.outcome == "answered":
            before = _ANSWERED[version]
        else:
            shown = b"null" if version < 0 else b"%d" % version
            before = b',"responseApiVersion":%s%s%s' % (shown, partial, _OUTCOMES[call.outcome])
        place = to = out.reserve(_LONGEST_END + len(before) + len(before_request) + len(before_response))
        to = kafkasniff_add(to, before)
        if call.pending_ns is not None:
            to = kafkasniff_add(to, _PENDING)
            to = write_milliseconds(to, call.pending_ns)
        to = kafkasniff_add(to, _TOTAL_TIME)
        if request is None or response is None:
            to = kafkasniff_add(to, _NULL)
            to = kafkasniff_add(to, _RESPONSE_DELAY)
            to = kafkasniff_add(to, _NULL)
        else:
            to = write_milliseconds(to, response.last.time - request.first.time)
            to = kafkasniff_add(to, _RESPONSE_DELAY)
            to = write_milliseconds(to, response.first.time - request.last.time)
        to = kafkasniff_add(to, _REQUEST_SIZE)
        to = kafkasniff_add(to, _NULL) if request is None else kafkasniff_number(to, request.size)
        to = kafkasniff_add(to, _RESPONSE_SIZE)
        to = kafkasniff_add(to, _NULL) if response is None else kafkasniff_number(to, response.size)
        to = kafkasniff_add(to, before_request)
        if request is not None:
            to = kafkasniff_number(to, request.last.packet)
        to = kafkasniff_add(to, before_response)
        if response is not None:
            to = kafkasniff_number(to, response.last.packet)
        if not cython.compiled:
            return out.add(to)
        out.size += to - place
        return 0

    def take_interface(self, interface: Interface) -> cython.int:
        """Take the interface of a packet: its file's name and how exact its times are."""
        name = file_text(interface)
        self.interface = interface
        self.digits = interface.time_digits
        self.request_file = safe_line(f',"requestFile":{name},"requestPacket":'.encode())
        self.response_file = safe_line(f',"responseFile":{name},"responsePacket":'.encode())
        return 0
